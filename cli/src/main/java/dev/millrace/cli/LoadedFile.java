package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;

/// A pipeline's file that was read without a problem; `digest` tells one content from another.
record LoadedFile(PipelineConfig config, String digest) {}
