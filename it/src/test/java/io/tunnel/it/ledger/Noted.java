package io.tunnel.it.ledger;

import io.tunnel.it.process.WorkerProcess;
import io.tunnel.sdk.processor.ProcessRecordsInput;
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
 * @param epoch of the assignment of the channel under which the worker was given the change
 */
public record Noted(long epoch, Seen seen) {

  /** What a processor was given, whose trace id names the channel, its epoch and a position. */
  public static List<Noted> of(ProcessRecordsInput input) {
    String[] trace = input.getTraceId().split("/", -1);
    long epoch = Long.parseLong(trace[trace.length - 2]);
    return Seen.of(input).stream().map(seen -> new Noted(epoch, seen)).toList();
  }

  /** One line, its end included. */
  public String toLine() {
    return epoch + "\t" + seen.toText() + "\n";
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
   * What several workers saw, of each channel in the order of its epochs: callbacks of a worker
   * under an epoch stand together, also the callbacks after the loss of the channel.
   */
  public static List<Seen> inTurns(WorkerProcess... workers) {
    return inTurns(Stream.of(workers).flatMap(worker -> worker.noted().stream()));
  }

  /** The notes of a tunnel, each channel in the order of its epochs. */
  public static List<Seen> inTurns(Stream<Noted> notes) {
    return notes.sorted(Comparator.comparingLong(Noted::epoch)).map(Noted::seen).toList();
  }
}
