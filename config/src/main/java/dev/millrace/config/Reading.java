package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// What every reader of a value needs: where problems go, and what fills variables in.
record Reading(Problems problems, Interpolation interpolation) {

    /// The scalar's text with variables filled in; null when there is none, which was told then.
    @Nullable
    Text text(ConfigNode node, String path, boolean secret, String expected) {
        return switch (node) {
            case ConfigNode.Broken _ -> null;
            case ConfigNode.Sequence _, ConfigNode.Mapping _ -> {
                wrongKind(node, path, expected);
                yield null;
            }
            case ConfigNode.Scalar scalar
            when scalar.isNothing() -> {
                problems.error(scalar.place(), path, "has no value; write " + expected + ", or leave the key out");
                yield null;
            }
            case ConfigNode.Scalar scalar
            when scalar.isNull() -> {
                problems.error(
                        scalar.place(), path, "null is no value here; leave the key out, or quote it if it is text");
                yield null;
            }
            case ConfigNode.Scalar scalar ->
                switch (interpolation.fill(scalar.text(), secret)) {
                    case Parsed.Good<Text>(var text) -> {
                        guard(text, scalar.place(), path);
                        yield text;
                    }
                    case Parsed.Bad<Text>(var message) -> {
                        problems.error(scalar.place(), path, message);
                        yield null;
                    }
                };
        };
    }

    private void guard(Text text, Place place, String path) {
        for (var one : text.brought()) {
            if (one instanceof Brought.SecretFile(var file) && Interpolation.openToAll(file))
                problems.warn(
                        place,
                        path,
                        "stands in " + Text.printable(file, 300)
                                + ", which everybody on this machine may read; take that right away (chmod o-r)");
        }
    }

    /// Tells that something else was expected here.
    void wrongKind(ConfigNode node, String path, String expected) {
        if (!(node instanceof ConfigNode.Broken)) {
            var found = node instanceof ConfigNode.Scalar scalar && scalar.isNothing() ? "nothing" : node.kind();
            problems.error(node.place(), path, "found " + found + "; write " + expected);
        }
    }
}
