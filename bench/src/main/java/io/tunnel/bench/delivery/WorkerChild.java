package io.tunnel.bench.delivery;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.FigureSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A {@link WorkerChildMain}. */
public record WorkerChild(Children children, String tag, Process process) {

  static WorkerChild start(
      FigureSetup<TunnelServerChild> setup, String tunnelId, String tag, long callbackMs)
      throws IOException {
    return start(setup.children(), setup.servers().endpoint(), tunnelId, tag, callbackMs);
  }

  /** Starts a worker whose callbacks take the given time. */
  public static WorkerChild start(
      Children children, String endpoint, String tunnelId, String tag, long callbackMs)
      throws IOException {
    Process process =
        children.start(
            tag,
            List.of("-Xmx256m", "-XX:+UseSerialGC"),
            WorkerChildMain.class.getName(),
            List.of(endpoint, tunnelId, tag, Long.toString(callbackMs)));
    return new WorkerChild(children, tag, process);
  }

  /** Processor time that it has used. */
  public long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** What it has said, line by line; a last line that is not ended is left out. */
  List<String> said() {
    try {
      String text = Files.readString(children.log(tag));
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** When it first processed each channel, by channel. */
  Map<String, Long> firstNanos() {
    Map<String, Long> first = new HashMap<>();
    for (String line : said()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("first")) {
        first.put(words[1], Long.parseLong(words[2]));
      }
    }
    return first;
  }

  /** Live heap, direct bytes and rows, for each report of the worker. */
  public List<long[]> memory() {
    List<long[]> memory = new ArrayList<>();
    for (String line : said()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("memory")) {
        memory.add(
            new long[] {
              Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])
            });
      }
    }
    return memory;
  }
}
