/// The intake: a server that takes rows as the bodies of POST requests, and admits each request whole or not at all.
///
/// [dev.millrace.intake.IntakeServer] speaks HTTP; [dev.millrace.intake.Admission] reads the lines of a body, makes
/// rows of them, and takes them in by an [dev.millrace.intake.Inlet] for each sink. Knows no store and no setting's
/// name; whoever makes the server brings sinks, and asks for tokens.
@NullMarked
package dev.millrace.intake;

import org.jspecify.annotations.NullMarked;
