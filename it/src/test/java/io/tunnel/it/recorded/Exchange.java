package io.tunnel.it.recorded;

import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * The frames of a few connections in the order in which they were seen between client and server.
 *
 * @param steps never changed once they are in the repository: an exchange is of its time
 */
record Exchange(List<Step> steps) {

  Exchange {
    steps = List.copyOf(steps);
  }

  /** A frame with its connection and its sender. */
  record Step(int connection, boolean isFromClient, Frame frame) {

    private static final String NOTHING = "-";

    /** For example: {@code 1 > REQUEST LIST_TABLES 2 {}}; a payload that is no JSON is in hex. */
    String text() {
      String direction = isFromClient ? ">" : "<";
      return String.join(
          " ",
          Integer.toString(connection),
          direction,
          frame.kind().name(),
          frame.operation().name(),
          Integer.toString(frame.correlationId()),
          payloadText());
    }

    private String payloadText() {
      byte[] payload = frame.payload();
      if (payload.length == 0) {
        return NOTHING;
      }
      return isJson()
          ? new String(payload, StandardCharsets.UTF_8)
          : HexFormat.of().formatHex(payload);
    }

    boolean isJson() {
      return frame.payload().length > 0 && frame.payload()[0] == '{';
    }

    static Step parse(String line) {
      String[] words = line.split(" ", 6);
      String payload = words[5];
      byte[] bytes =
          payload.startsWith("{")
              ? payload.getBytes(StandardCharsets.UTF_8)
              : HexFormat.of().parseHex(payload.equals(NOTHING) ? "" : payload);
      return new Step(
          Integer.parseInt(words[0]),
          words[1].equals(">"),
          new Frame(
              Operation.valueOf(words[3]),
              FrameKind.valueOf(words[2]),
              Integer.parseInt(words[4]),
              bytes));
    }
  }

  static Exchange parse(String text) {
    return new Exchange(
        text.lines().filter(line -> !line.startsWith("#")).map(Step::parse).toList());
  }

  /** The exchange of {@code recorded/NAME.txt}. */
  static Exchange read(String name) {
    String path = "/recorded/" + name + ".txt";
    try (InputStream in = Exchange.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalArgumentException("there is no " + path);
      }
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text() {
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.append(step.text()).append('\n'));
    return text.toString();
  }
}
