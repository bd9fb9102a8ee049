package dev.millrace.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// Turns YAML into [ConfigNode]s: one document, no aliases, no anchors, no tags, no key twice, 20 levels at most.
///
/// Reads the parser's events and not the library's own tree, since only they still tell a written tag or anchor
/// from none, and since the depth can be refused before anything recurses that deep.
///
/// Thread ownership: the thread that reads the file.
final class YamlTree {
    static final int MAX_DEPTH = 20;

    private final Problems problems;
    private final Iterator<Event> events;

    private YamlTree(String text, Problems problems) {
        this.problems = problems;
        var settings = LoadSettings.builder()
                .setUseMarks(true)
                .setCodePointLimit(SourceText.MAX_BYTES + 1)
                .build();
        this.events = new Parse(settings).parseString(text).iterator();
    }

    /// The document's root; null when there is none to go on with, which was told then.
    static @Nullable ConfigNode read(String text, Problems problems) {
        try {
            return new YamlTree(text, problems).document();
        } catch (TooDeep e) {
            problems.error(e.place, e.path, "nested deeper than " + MAX_DEPTH + " levels; a pipeline needs 6");
        } catch (MarkedYamlEngineException e) {
            var mark = e.getProblemMark().isPresent() ? e.getProblemMark() : e.getContextMark();
            problems.error(Place.of(mark), "", "is not YAML here: " + remedy(e));
        } catch (YamlEngineException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // What the parser throws without a place: an unknown version in a directive, a number too large in one.
            problems.error(Place.START, "", "is not YAML; check directives (%) and quotes");
        }
        return null;
    }

    private @Nullable ConfigNode document() {
        expect(Event.ID.StreamStart);
        var first = events.next();
        if (first.getEventId() == Event.ID.StreamEnd) {
            problems.error(Place.START, "", "is empty; begin with docs/pipeline.example.yaml");
            return null;
        }
        var root = node(events.next(), 0, "");
        expect(Event.ID.DocumentEnd);
        var next = events.next();
        if (next.getEventId() != Event.ID.StreamEnd) {
            problems.error(
                    Place.of(next.getStartMark()), "", "holds a second document; remove it, one file is one pipeline");
        }
        return root;
    }

    private void expect(Event.ID id) {
        var event = events.next();
        if (event.getEventId() != id) throw new IllegalStateException("parser gave " + event.getEventId());
    }

    private ConfigNode node(Event event, int depth, String path) {
        var place = Place.of(event.getStartMark());
        if (depth > MAX_DEPTH) throw new TooDeep(place, path);
        if (event instanceof NodeEvent named && !(event instanceof AliasEvent)) refuseAnchor(named, place, path);
        return switch (event) {
            case AliasEvent _ -> {
                problems.error(
                        place, path, "aliases (*name) are refused; write the value out, or quote it if it is text");
                yield new ConfigNode.Broken(place);
            }
            case ScalarEvent scalar -> {
                refuseTag(scalar.getTag(), place, path);
                yield new ConfigNode.Scalar(place, scalar.getValue(), scalar.isPlain());
            }
            case SequenceStartEvent sequence -> {
                refuseTag(sequence.getTag(), place, path);
                yield sequence(place, depth, path);
            }
            case MappingStartEvent mapping -> {
                refuseTag(mapping.getTag(), place, path);
                yield mapping(place, depth, path);
            }
            default -> throw new IllegalStateException("parser gave " + event.getEventId());
        };
    }

    private ConfigNode sequence(Place place, int depth, String path) {
        var items = new ArrayList<ConfigNode>();
        for (var event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
            items.add(node(event, depth + 1, path + "[" + items.size() + "]"));
        }
        return new ConfigNode.Sequence(place, items);
    }

    private ConfigNode mapping(Place place, int depth, String path) {
        var entries = new ArrayList<ConfigNode.Entry>();
        Map<String, Place> seen = new HashMap<>();
        for (var event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
            var key = node(event, depth + 1, path);
            var below = key instanceof ConfigNode.Scalar name ? Walk.join(path, name.text()) : path;
            var value = node(events.next(), depth + 1, below);
            switch (key) {
                case ConfigNode.Scalar scalar
                when !scalar.text().isEmpty() -> {
                    var first = seen.putIfAbsent(scalar.text(), scalar.place());
                    if (first == null) entries.add(new ConfigNode.Entry(scalar.place(), scalar.text(), value));
                    else duplicate(scalar, first, below);
                }
                case ConfigNode.Broken _ -> {}
                case ConfigNode.Scalar _, ConfigNode.Sequence _, ConfigNode.Mapping _ ->
                    problems.error(key.place(), path, "found " + describe(key) + " for a key; write name: value");
            }
        }
        return new ConfigNode.Mapping(place, entries);
    }

    private void duplicate(ConfigNode.Scalar key, Place first, String path) {
        problems.error(key.place(), path, "duplicate key, first at " + first + "; remove one");
    }

    private static String describe(ConfigNode key) {
        return key instanceof ConfigNode.Scalar ? "nothing" : key.kind();
    }

    private void refuseAnchor(NodeEvent event, Place place, String path) {
        if (event.getAnchor().isPresent()) {
            problems.error(place, path, "anchors (&name) are refused; remove it, or quote the value if it is text");
        }
    }

    private void refuseTag(Optional<String> tag, Place place, String path) {
        if (tag.isPresent()) {
            problems.error(
                    place, path, "tags (!name) are refused, a key's type is fixed; remove it, or quote the value");
        }
    }

    /// What to do about a syntax error. The parser's own words may hold parts of the file, and so of a secret: they are
    /// not repeated.
    private static String remedy(MarkedYamlEngineException e) {
        var problem = e.getProblem() == null ? "" : e.getProblem().toLowerCase(Locale.ROOT);
        var context = e.getContext() == null ? "" : e.getContext().toLowerCase(Locale.ROOT);
        if (problem.contains("tab")) return "a tab; indent with spaces";
        if (problem.contains("tag") || context.contains("tag")) return "tags (!name) are refused; quote the value";
        if (problem.contains("mapping values"))
            return "a second ': ' in one value; quote the value, or begin a new line";
        if (context.contains("quoted scalar")) return "a quote that is not closed, or a wrong \\ in it; close it";
        if (problem.contains("cannot start any token")) {
            return "a value may not begin with this character; quote the value";
        }
        if (context.contains("flow")) {
            return "the bracket of " + Place.of(e.getContextMark())
                    + " is not closed, or holds a ${…} without quotes; close it, or quote the value";
        }
        if (context.contains("block mapping") || context.contains("block collection")) {
            return "indentation that fits no line above; align it with its neighbours";
        }
        if (context.contains("simple key") || problem.contains("':'")) return "a line without ':'; write name: value";
        if (context.contains("alias") || context.contains("anchor")) {
            return "aliases and anchors are refused; quote the value";
        }
        if (context.contains("directive") || problem.contains("document start")) {
            return "directives (%) and what follows a document are refused; remove it";
        }
        return "check indentation, quotes and brackets";
    }

    /// Ends the reading of a document nested too deep.
    private static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Place place;
        private final transient String path;

        TooDeep(Place place, String path) {
            super(null, null, false, false);
            this.path = path;
            this.place = place;
        }
    }
}
