package io.tunnel.stress;

import java.nio.file.Path;
import java.util.Locale;

/** The formats that rows are read from. */
enum FileFormat {
  /** Comma-separated values, the first record naming the columns. */
  CSV,
  /** JSON Lines: an object a line, its members the columns. */
  JSONL;

  /** The format that the name of {@code file} says. */
  static FileFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".csv")) {
      return CSV;
    } else if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
      return JSONL;
    }
    throw new IllegalArgumentException(
        "the name of '" + file + "' does not say its format: it should end with .csv or .jsonl");
  }
}
