package dev.millrace.config;

/// What is promised of a row that was polled. More comes with effectively-once delivery.
public enum Delivery {
    AT_LEAST_ONCE
}
