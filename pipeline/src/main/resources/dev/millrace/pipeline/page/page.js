'use strict';
// Shows what /status says, and asks it again. Texts come from servers and records: they are laid as text, never as markup.
(() => {
  const EVERY_MS = 2000, HIDDEN_MS = 15000, PATIENCE_MS = 5000, MOST_PARTITIONS = 200, MOST_SHARDS = 300;
  const SVG = 'http://www.w3.org/2000/svg';
  const LEVELS = {
    L0: 'every row is stored; what is sent again may be stored twice',
    L1: 'what is sent again is stored once, but not what replays after a crash',
    L2: 'stored once, after crashes and restarts too, while the store remembers',
    L3: 'stored once; what is older than the store remembers is looked for first',
    L4: 'stored once, for ever',
  };
  const PHASES = {
    closed: ['good', '● takes writes'],
    open: ['bad', '✕ left out'],
    half_open: ['watch', '◐ tried with the next rows'],
    quarantined: ['watch', '‖ in quarantine'],
  };
  const BLOCKED = {
    budget: 'the budget is full', target: 'its shard takes no more', dead_letters: 'rows set aside wait for Kafka',
    layout: 'a table has changed', plan: 'enough is open',
    pending: 'enough waits above the watermark', drain: 'stopping', halted: 'stopped', paused: 'paused by hand',
  };
  const at = id => document.getElementById(id);
  const shown = new Map();
  let lastMillis = null, lost = false, asking = false, toldShape = '', timer = 0;

  // --- words

  const count = number => number === null || number === undefined ? 'unknown' : number.toLocaleString('en-US');
  const rows = number => count(number) + (number === 1 ? ' row' : ' rows');
  const clock = millis => new Date(millis).toLocaleTimeString('en-GB');
  const span = seconds => {
    if (seconds < 120) return Math.round(seconds) + ' s';
    if (seconds < 7200) return Math.floor(seconds / 60) + ' min';
    if (seconds < 172800) return Math.floor(seconds / 3600) + ' h';
    return Math.floor(seconds / 86400) + ' days';
  };
  const size = bytes => {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let at = 0;
    while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at++; }
    return (bytes < 10 && at > 0 ? bytes.toFixed(1) : Math.round(bytes)) + ' ' + units[at];
  };
  const cut = (text, most) => text.length <= most ? text : [...text].slice(0, most).join('') + '…';
  const placeOf = endpoint => { try { return new URL(endpoint).host || endpoint; } catch { return endpoint; } };

  // --- what is laid

  const make = (tag, kind, ...inside) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...inside.filter(one => one !== null && one !== '')); // strings become text
    return made;
  };
  const word = (kind, text) => make('span', 'word ' + kind, text);
  const text = (id, value) => { if (at(id).textContent !== value) at(id).textContent = value; };
  // Lays a part anew only when it says something else, so that who reads or marks text there keeps the place.
  const lay = (id, from, build) => {
    const now = JSON.stringify(from);
    if (shown.get(id) === now) return;
    shown.set(id, now);
    at(id).replaceChildren(...build());
  };
  const cell = (is, value, kind) => {
    const made = make('td', kind, value);
    if (is) made.dataset.is = is;
    return made;
  };

  const trouble = status => {
    const first = status.troubles[0];
    const level = !first ? 'good' : first.level === 'bad' ? 'bad' : 'watch';
    at('now').className = 'panel ' + level;
    const mark = { good: '✓ All is well. ', watch: '! Watch. ', bad: '✕ Wrong. ' }[level];
    const headline = level === 'good' ? status.headline.replace(/^All is well\. /, '') : status.headline;
    lay('headline', [mark, headline], () => [word(level, mark), headline]);
    text('remedy', first ? 'Do: ' + first.remedy : 'Nothing has to be done.');
    lay('others', status.troubles.slice(1), () => status.troubles.slice(1).map(one => make('li', '',
      word(one.level === 'bad' ? 'bad' : 'watch', one.level === 'bad' ? '✕ Wrong. ' : '! Watch. '),
      one.what, make('p', 'quiet', 'Do: ' + one.remedy))));
    document.title = { good: '✓ ', watch: '! ', bad: '✕ ' }[level] + status.pipeline + (first ? ': ' + first.what : '');
    // Numbers change all the time; what is told aloud is another thing only when its words are.
    const shape = status.troubles.map(one => one.level + one.what.replace(/[\d,.]+ ?(s|min|h|days)?\b/g, '#')).join('|') || 'well';
    if (shape !== toldShape) {
      toldShape = shape;
      at('told').textContent = first ? first.what + ' Do: ' + first.remedy : 'All is well.';
    }
  };

  const about = status => {
    const up = (Date.now() - Date.parse(status.started_at)) / 1000;
    text('name', status.pipeline);
    text('about', status.state + ' · up ' + span(Math.max(0, up)) + ' · Millrace ' + status.version + ' · '
      + clock(lastMillis));
  };

  const posted = posts => {
    const refused = Object.entries(posts.refused).filter(([, many]) => many > 0);
    return [
      make('li', refused.length ? 'card watch' : 'card',
        make('h4', '', posts.listens), make('p', '', count(posts.requests) + ' requests'),
        make('p', '', rows(posts.rows_admitted) + ' taken in'),
        ...refused.map(([by, many]) => make('p', '', word('watch', '! refused by ' + by + ': ' + count(many))))),
      ...posts.sinks.map(one => make('li', one.rows_lost_unreachable + one.rows_lost_shutdown ? 'card watch' : 'card',
        make('h4', '', one.name), make('p', '', rows(one.rows_written) + ' written'),
        make('p', '', rows(one.rows_rejected) + ' rejected'),
        make('p', '', rows(one.rows_lost_unreachable + one.rows_lost_shutdown) + ' lost')))];
  };

  const topics = status => {
    if (status.posted) {
      lay('topics', [status.posted], () => posted(status.posted));
      return;
    }
    const all = new Map();
    for (const one of status.partitions) {
      if (!one.owned) continue;
      const sum = all.get(one.topic) || { partitions: 0, lag: 0, blocked: 0 };
      sum.partitions++;
      sum.lag = sum.lag === null || one.lag === null ? null : sum.lag + one.lag;
      if (one.blocked_by !== null || one.waits_for !== null || one.hanging_transaction !== null) sum.blocked++;
      all.set(one.topic, sum);
    }
    const list = [...all].sort(([a], [b]) => a < b ? -1 : 1);
    lay('topics', [status.state, list], () => list.length === 0
      ? [make('li', 'card', status.state === 'starting' ? 'nothing is read yet' : 'no partition is this process’s')]
      : list.map(([name, sum]) => make('li', sum.blocked ? 'card watch' : 'card',
        make('h4', '', name), make('p', '', count(sum.partitions) + (sum.partitions === 1 ? ' partition' : ' partitions')),
        make('p', '', 'lag ' + count(sum.lag)),
        sum.blocked ? make('p', '', word('watch', '! ' + sum.blocked + ' held up')) : null)));
  };

  const spark = (id, name, values) => {
    const highest = Math.max(1, ...values), left = 180 - values.length;
    const points = values.map((value, i) => (left + i) + ',' + (38 - 36 * value / highest).toFixed(1)).join(' ');
    if (!at(id).firstChild) at(id).append(document.createElementNS(SVG, 'polyline'));
    at(id).firstChild.setAttribute('points', points);
    at(id).setAttribute('aria-label', name + ', the last ' + values.length + ' seconds: now '
      + count(values.at(-1) ?? null) + ', at most ' + count(values.length ? Math.max(...values) : null));
  };

  const flight = status => {
    text('in-rate', count(status.rates.in_per_second));
    text('durable-rate', count(status.rates.durable_per_second));
    spark('in-line', 'rows in a second', status.rates.in);
    spark('durable-line', 'rows durable a second', status.rates.durable);
    const held = status.in_flight;
    text('budget-rows', rows(held.rows) + ' of ' + count(held.max_rows));
    text('budget-bytes', size(held.bytes) + ' of ' + size(held.max_bytes));
    at('rows-meter').value = held.rows / held.max_rows;
    at('bytes-meter').value = held.bytes / held.max_bytes;
  };

  // `others`: whether the shard has another replica that takes writes.
  const replica = (one, others) => {
    const [kind, says] = PHASES[one.breaker] || ['plain', one.breaker];
    const left = one.open_for_ms === null ? '' : ', tried in ' + (one.open_for_ms / 1000).toFixed(1) + ' s';
    const since = one.breaker === 'closed' ? '' : ' for ' + span(one.phase_seconds);
    const turns = others && one.breaker === 'closed' && one.one_turn_in > 1 ? 'coming back: one write in ' + one.one_turn_in : '';
    const failed = one.last_failure === null ? '' : one.breaker === 'closed' ? 'last error, over: ' : 'last error: ';
    return make('li', kind === 'good' ? 'card' : 'card ' + kind,
      make('h5', 'endpoint', placeOf(one.endpoint)),
      make('p', '', word(kind, says), since + left),
      make('p', '', count(one.rows_per_second) + ' rows a second'),
      turns ? make('p', 'quiet', turns) : null,
      failed ? make('p', 'error', failed + cut(one.last_failure, one.breaker === 'closed' ? 120 : 300)) : null);
  };

  const shardOf = (shard, advisory) => {
    const held = shard.open_rows + shard.batches.reduce((sum, one) => sum + one.rows, 0);
    const state = shard.worker === 'died' ? ['bad', '✕ ended by a fault'] : !shard.usable ? ['bad', '✕ takes nothing']
      : shard.blocked ? ['bad', '✕ a batch is not accepted'] : ['good', '● takes rows'];
    if (advisory && state[0] === 'bad') state[0] = 'watch';
    return make('section', 'card shard ' + (state[0] === 'good' ? '' : state[0]),
      make('h4', '', shard.shard + (advisory ? ' (advisory) ' : ' '), word(state[0], state[1])),
      make('p', 'quiet', 'holds ' + rows(held)
        + (shard.last_answer_seconds === null ? ', never answered' : ', answered ' + span(shard.last_answer_seconds) + ' ago')
        + (shard.waits_for === null ? '' : ', waits for ' + shard.waits_for)
        // Where no replica is to be had, each says when it is tried.
        + (shard.backoff_ends_in_ms === null || !shard.usable ? '' : ', next try in ' + (shard.backoff_ends_in_ms / 1000).toFixed(1) + ' s')),
      make('ul', 'replicas', ...shard.replicas.map(one =>
        replica(one, shard.replicas.some(other => other !== one && other.breaker === 'closed')))));
  };

  const shards = status => {
    const ill = one => one.usable && !one.blocked && one.replicas.every(each => each.breaker === 'closed') ? 1 : 0;
    const all = [...status.shards].sort((a, b) => ill(a) - ill(b));
    const seen = all.slice(0, MOST_SHARDS);
    const more = all.length - seen.length;
    const advisory = status.advisory.flatMap(sink => sink.shards);
    lay('shards', [seen, advisory, more], () => [...seen.map(one => shardOf(one, false)), ...advisory.map(one => shardOf(one, true)),
      more ? make('p', 'quiet', 'and ' + count(more) + ' shards more: see status') : '']);
  };

  const partitions = status => {
    const owned = status.partitions.filter(one => one.owned);
    const held = one => one.hanging_transaction ? 0 : one.blocked_by !== null || one.waits_for !== null ? 1 : 2;
    owned.sort((a, b) => held(a) - held(b) || (b.lag ?? Infinity) - (a.lag ?? Infinity) || a.partition - b.partition);
    const seen = owned.slice(0, MOST_PARTITIONS);
    lay('partitions', seen, () => seen.map(one => {
      const hangs = one.hanging_transaction;
      const why = hangs ? 'a transaction hangs at ' + hangs.stable_offset + ' for ' + span(hangs.age_seconds)
        : one.blocked_by !== null ? BLOCKED[one.blocked_by] || one.blocked_by
        : one.waits_for !== null ? 'shard ' + one.waits_for : '';
      const name = make('th', '', one.topic + '-' + one.partition);
      name.scope = 'row';
      return make('tr', '', name, cell('lag', count(one.lag), 'number'), cell('watermark', count(one.watermark), 'number'),
        cell('stands for', one.pending_ranges === 0 ? '' : span(one.head_seconds), 'number'), cell('', why, 'whole'));
    }));
    const more = owned.length - seen.length;
    text('partitions-more', owned.length === 0 ? 'none' : more ? 'and ' + count(more) + ' more: see status' : '');
  };

  const levels = status => lay('levels', status.sinks, () => status.sinks.map(one => make('li', 'card',
    make('h4', '', one.name + ': ' + one.level), make('p', '', LEVELS[one.level] || ''), make('p', 'quiet', one.why))));

  const letters = status => {
    const reasons = Object.entries(status.poison);
    text('letters-sum', status.dead_lettered === 0 && reasons.length === 0 ? 'none since the start'
      : rows(status.dead_lettered) + ' in the dead-letter topic since the start; refused, by reason:');
    lay('letters', reasons, () => reasons.map(([reason, number]) => make('li', '', make('span', '', reason), make('span', '', count(number)))));
  };

  const events = status => lay('events', status.events, () => status.events.map(one => make('tr', '',
    cell('', clock(Date.parse(one.at)), 'time'),
    make('td', '', make('span', 'name', one.event),
      one.count > 1 ? ' ×' + count(one.count) + ' since ' + clock(Date.parse(one.first_at)) : ''),
    cell('', one.where, 'whole where'), cell('', one.text, 'whole'))));

  const show = status => {
    for (const part of [about, trouble, topics, flight, shards, partitions, levels, letters, events]) part(status);
  };

  // --- contact

  const contact = () => {
    document.body.classList.toggle('old', lost);
    at('contact').hidden = !lost;
    if (!lost) return;
    const since = lastMillis === null ? 'since this page was opened' : 'since ' + clock(lastMillis) + ', ' + span((Date.now() - lastMillis) / 1000) + ' ago';
    text('contact', '✕ No contact with the process ' + since
      + (lastMillis === null ? '.' : ': what stands below is as it was then.')
      + ' It may have stopped, or the network may be cut. Look whether it runs; this page goes on asking.');
    document.title = '✕ no contact';
  };

  const fetched = async () => {
    const answer = await fetch('/status', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error('status ' + answer.status);
    return answer.json();
  };

  const ask = async () => {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    let status = null;
    try {
      status = await fetched();
    } catch (failure) {
      console.warn('no contact', failure);
      if (!lost) at('told').textContent = 'No contact with the process.';
    }
    if (status !== null && lost) {
      toldShape = '';
      at('told').textContent = 'There is contact again.';
    }
    lost = status === null;
    if (status !== null) lastMillis = Date.now();
    contact();
    asking = false;
    timer = setTimeout(ask, document.hidden ? HIDDEN_MS : EVERY_MS);
    if (status !== null) show(status);
  };
  document.addEventListener('visibilitychange', () => { if (!document.hidden) ask(); });
  ask();
})();
