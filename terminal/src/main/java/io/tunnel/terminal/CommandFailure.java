package io.tunnel.terminal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** A command cannot do what it was asked for, and knows how to say so in one line. */
public final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final String code;
  private final String hint;
  private final List<String> excerpt;

  /**
   * A failure.
   *
   * @param exitCode one of {@link ExitCode}'s
   * @param message what is wrong and what would be right, for people
   */
  public CommandFailure(int exitCode, String message) {
    this(exitCode, ExitCode.name(exitCode), message, "");
  }

  /**
   * A failure with a code for programs.
   *
   * @param exitCode one of {@link ExitCode}'s
   * @param code what is wrong, for programs, such as TABLE_NOT_FOUND
   * @param message what is wrong, for people
   * @param hint what to do, in a sentence; may be empty
   */
  public CommandFailure(int exitCode, String code, String message, String hint) {
    this(exitCode, code, message, hint, List.of());
  }

  private CommandFailure(
      int exitCode, String code, String message, String hint, List<String> excerpt) {
    super(Objects.requireNonNull(message, "message"));
    this.exitCode = exitCode;
    this.code = Objects.requireNonNull(code, "code");
    this.hint = Objects.requireNonNull(hint, "hint");
    this.excerpt = List.copyOf(excerpt);
  }

  /** The command line is wrong in a way that only the command itself can see. */
  public static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message);
  }

  /**
   * The command line is wrong at a place that people are shown.
   *
   * @param excerpt lines below the message: what was typed, and a caret under the place
   */
  public static CommandFailure usage(String message, List<String> excerpt) {
    return new CommandFailure(ExitCode.USAGE, ExitCode.name(ExitCode.USAGE), message, "", excerpt);
  }

  /**
   * What {@code parse} makes of the command line; its {@link IllegalArgumentException} becomes a
   * {@linkplain #usage usage error} with the same message.
   */
  public static <T> T checkUsage(Supplier<T> parse) {
    try {
      return parse.get();
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  /**
   * Refuses an option's number outside of its limits, which both belong to what is allowed, as a
   * {@linkplain #usage usage error}.
   */
  public static void requireRange(String option, long value, long min, long max) {
    if (value < min || value > max) {
      throw usage(option + " is " + min + " to " + max + ", not " + value);
    }
  }

  /** The job failed. */
  public static CommandFailure failed(String message) {
    return new CommandFailure(ExitCode.FAILED, message);
  }

  /** A file or a disk failed. */
  public static CommandFailure io(String message) {
    return new CommandFailure(ExitCode.IO, message);
  }

  /**
   * A place that the command line names cannot be used: {@linkplain #io a file failed}, or the
   * place is {@linkplain #usage not what it is taken for}.
   */
  public static CommandFailure ofPlace(IOException reason) {
    return reason instanceof FileSystemException
        ? io(Diagnosis.ofFile(reason))
        : usage(reason.getMessage());
  }

  /** What is wrong, for programs. */
  String code() {
    return code;
  }

  /** What to do; may be empty. */
  String hint() {
    return hint;
  }

  /** Lines that are shown to people below the message; may be empty. */
  List<String> excerpt() {
    return excerpt;
  }

  /** Message and hint, for people. */
  String text() {
    return hint.isEmpty() ? getMessage() : getMessage() + ". " + hint;
  }

  /** What the process ends with. */
  public int exitCode() {
    return exitCode;
  }
}
