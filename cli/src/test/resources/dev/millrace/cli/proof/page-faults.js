// What eyes cannot read on this page, a line each: beside the screen, cut off, one over the other, or with too little
// contrast (WCAG 2.2, 1.4.3: 4.5 to 1).
(() => {
  const faults = [];
  const numbers = colour => { const all = colour.match(/[\d.]+/g).map(Number); return all.length > 3 ? all : [...all, 1]; };
  const lay = (top, share, under) => [0, 1, 2].map(i => top[i] * share + under[i] * (1 - share));
  const light = colour => {
    const [r, g, b] = colour.map(one => one / 255).map(one => one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const page = numbers(getComputedStyle(document.body).backgroundColor);
  const behind = element => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(numbers(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((under, top) => lay(top, top[3], under), page);
  };
  const above = (element, holds) => {
    for (let one = element; one; one = one.parentElement) if (holds(getComputedStyle(one), one)) return one;
    return null;
  };
  const opacity = element => {
    let all = 1;
    for (let one = element; one; one = one.parentElement) all *= Number(getComputedStyle(one).opacity);
    return all;
  };
  const says = text => '"' + text.trim().slice(0, 60) + '"';

  if (document.documentElement.scrollWidth > innerWidth)
    faults.push('the page is ' + document.documentElement.scrollWidth + ' wide, the screen ' + innerWidth);

  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest('.skip, noscript')) continue;
    if (above(element, style => style.clipPath !== 'none')) continue; // for screen readers
    const shade = opacity(element);
    const back = behind(element);
    const ink = lay(numbers(getComputedStyle(element).color), numbers(getComputedStyle(element).color)[3], back);
    const [more, less] = [light(lay(ink, shade, page)), light(lay(back, shade, page))].sort((a, b) => b - a);
    const contrast = (more + .05) / (less + .05);
    if (contrast < 4.5) faults.push(says(node.data) + ' has a contrast of ' + contrast.toFixed(2));
    const block = above(element, style => !style.display.startsWith('inline')).getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.right > block.right + 1 || box.left < block.left - 1 || box.bottom > block.bottom + 3)
        faults.push(says(node.data) + ' runs out of its box');
      boxes.push([box, node]);
    }
  }
  for (const [a, of] of boxes)
    for (const [b, other] of boxes)
      if (of !== other && a.right - b.left > 2 && b.right - a.left > 2 && a.bottom - b.top > 6 && b.bottom - a.top > 6
          && of.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
        faults.push(says(of.data) + ' and ' + says(other.data) + ' lie over each other');
  return faults;
})()
