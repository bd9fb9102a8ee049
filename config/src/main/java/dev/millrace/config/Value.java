package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// One value of a setting, and where it comes from: `node` is what stands in the file; null for the default.
record Value<T>(T value, Place place, String path, @Nullable ConfigNode node) {
    boolean given() {
        return node != null;
    }
}
