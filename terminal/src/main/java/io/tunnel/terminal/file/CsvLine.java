package io.tunnel.terminal.file;

import java.util.List;
import java.util.Set;

/**
 * One record of a CSV text.
 *
 * @param line where it starts, from 1
 * @param quotedEmpty the indexes of its fields that are empty and have quotes
 */
public record CsvLine(long line, List<String> fields, Set<Integer> quotedEmpty) {

  /** Copies. */
  public CsvLine {
    fields = List.copyOf(fields);
    quotedEmpty = Set.copyOf(quotedEmpty);
  }
}
