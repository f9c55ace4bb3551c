package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.Agenda;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** What happened in a world, line by line: the last lines, and a hash of all. */
public final class Trace {

  private static final int LINES_MAX = 60;

  private final Agenda agenda;
  private final Consumer<String> listener;
  private final Deque<String> lines = new ArrayDeque<>();
  private long hash = 1;

  public Trace(Agenda agenda, Consumer<String> listener) {
    this.agenda = agenda;
    this.listener = listener;
  }

  public void add(String text) {
    long nanos = agenda.nowNanos();
    hash = (hash * 31 + text.hashCode()) * 31 + nanos;
    hash ^= hash >>> 29;
    String line = seconds(nanos) + " " + text;
    lines.add(line);
    if (lines.size() > LINES_MAX) {
      lines.remove();
    }
    listener.accept(line);
  }

  private static String seconds(long nanos) {
    long micros = nanos / 1_000;
    String fraction = Long.toString(1_000_000 + micros % 1_000_000).substring(1);
    return micros / 1_000_000 + "." + fraction;
  }

  /** Equal worlds have equal hashes. */
  public long hash() {
    return hash * 31 + agenda.done();
  }

  public List<String> lastLines() {
    return List.copyOf(lines);
  }
}
