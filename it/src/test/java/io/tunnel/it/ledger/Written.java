package io.tunnel.it.ledger;

import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The answer to a writer about a row.
 *
 * @param sequence its number among the rows that the writer added, from 0
 * @param why what the writer was told besides; empty for an applied row
 */
public record Written(
    long sequence, Outcome outcome, int partition, long position, Mutation mutation, String why) {

  public static Written of(long sequence, Mutation mutation, RowResult result) {
    return new Written(
        sequence,
        result.outcome(),
        result.partition(),
        result.position(),
        mutation,
        result.message().replaceAll("\\s", " "));
  }

  /** One line, its end included. */
  public String toLine() {
    return sequence
        + "\t"
        + outcome
        + "\t"
        + partition
        + "\t"
        + position
        + "\t"
        + mutation.toText()
        + "\t"
        + why
        + "\n";
  }

  private static Written parse(String line) {
    String[] parts = line.split("\t", -1);
    return new Written(
        Long.parseLong(parts[0]),
        Outcome.valueOf(parts[1]),
        Integer.parseInt(parts[2]),
        Long.parseLong(parts[3]),
        Mutation.parse(parts[4]),
        parts[5]);
  }

  public static List<Written> read(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.map(Written::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
