package io.tunnel.it.ledger;

import io.tunnel.it.process.WorkerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a worker's process wrote down.
 *
 * @param heldSinceNanos when the first callback of this holding of the channel began, by the
 *     machine's clock that never goes back and is the same for all processes
 */
public record Noted(long heldSinceNanos, Seen seen) {

  /** One line, its end included. */
  public String toLine() {
    return heldSinceNanos + "\t" + seen.toText() + "\n";
  }

  private static Noted parse(String line) {
    int end = line.indexOf('\t');
    return new Noted(Long.parseLong(line.substring(0, end)), Seen.parse(line.substring(end + 1)));
  }

  /** All notes in order; the line that the process's death cut off is not counted. */
  public static List<Noted> read(Path file) {
    try {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      List<Noted> all = new ArrayList<>();
      text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(l -> all.add(parse(l)));
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What several workers saw, holding after holding: what one of them did while it held a channel
   * comes together, also what it did after it had lost it.
   */
  public static List<Seen> inTurns(WorkerProcess... workers) {
    return Stream.of(workers)
        .flatMap(worker -> worker.noted().stream())
        .sorted(Comparator.comparing(Noted::heldSinceNanos))
        .map(Noted::seen)
        .toList();
  }
}
