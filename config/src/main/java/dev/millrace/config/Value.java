package dev.millrace.config;

/// One value of a setting, and where it comes from: `given` tells whether it stands in the file or is the default.
record Value<T>(T value, Place place, String path, boolean given) {}
