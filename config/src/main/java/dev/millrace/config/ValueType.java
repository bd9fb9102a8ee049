package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// How the value of a key is written, what it may be, and what it becomes.
///
/// The declaration, not YAML, decides the type: `NO`, `on`, `1e3` and `0123` are text until a type
/// reads them.
sealed interface ValueType<T>
        permits ScalarType,
                ListType,
                TopicsType,
                ShardsType,
                KafkaPropertiesType,
                ServerSettingsType,
                VerdictsType,
                HeadersType {

    /// What a message and a page call it, with unit and bounds: `a duration from 1ms to 10m, such as 5s`.
    String expected();

    /// The value, or null when its problems were told.
    @Nullable
    T read(ConfigNode node, String path, boolean secret, Reading reading);
}
