package io.tunnel.artemis.queue;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the broker's process prints when it takes connections.
 *
 * @param port of loopback
 * @param journal how it writes: {@code NIO}, or {@code ASYNCIO} where the system has libaio
 * @param bufferNanos how long writes gather at most before they are synced
 */
record ReadyLine(int port, String journal, int bufferNanos) {

  private static final Pattern LINE =
      Pattern.compile("ready port=([0-9]{1,5}) journal=(\\w+) bufferNanos=([0-9]{1,9})");

  String text() {
    return "ready port=" + port + " journal=" + journal + " bufferNanos=" + bufferNanos;
  }

  /** Reads such a line; empty when it is another one. */
  static Optional<ReadyLine> parse(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        ? Optional.of(
            new ReadyLine(
                Integer.parseInt(matcher.group(1)),
                matcher.group(2),
                Integer.parseInt(matcher.group(3))))
        : Optional.empty();
  }
}
