package io.tunnel.terminal.file;

import java.util.List;

/** One record of a CSV text; {@code line} is where it starts, from 1. */
public record CsvLine(long line, List<String> fields) {

  /** Copies. */
  public CsvLine {
    fields = List.copyOf(fields);
  }
}
