package dev.millrace.config;

/// A part of Millrace that is not built yet, as a message names it.
enum Part {
    AVRO_AND_PROTOBUF("the Avro and Protobuf formats"),
    FIELD_ROUTES("routing by a field");

    private final String text;

    Part(String text) {
        this.text = text;
    }

    String title() {
        return text;
    }

    String notBuilt() {
        return "not built yet; it comes with " + text;
    }
}
