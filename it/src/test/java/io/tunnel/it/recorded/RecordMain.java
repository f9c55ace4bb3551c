package io.tunnel.it.recorded;

import io.tunnel.it.recorded.Exchange.Step;
import io.tunnel.wire.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records the {@link Story} between today's client and today's server, to be kept in {@code
 * it/src/test/resources/recorded} under a new name whenever one of them says something new.
 * Argument: the file.
 */
final class RecordMain {

  private final List<Step> steps = new ArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();

  private RecordMain() {}

  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("recorded");
    try (LiveServer server = new LiveServer(directory)) {
      Files.writeString(Path.of(args[0]), new RecordMain().record(server.port()).text());
    }
  }

  private Exchange record(int port) throws Exception {
    try (Listener listener = new Listener(client -> pass(client, port))) {
      Story.play(listener.endpoint());
    }
    synchronized (steps) {
      return new Exchange(steps);
    }
  }

  private void pass(FrameSocket client, int port) throws IOException {
    int connection = connections.incrementAndGet();
    FrameSocket server = FrameSocket.connect(port);
    client.read(frame -> server.send(seen(new Step(connection, true, frame))), server::close);
    server.read(frame -> client.send(seen(new Step(connection, false, frame))), client::close);
  }

  private Frame seen(Step step) {
    synchronized (steps) {
      steps.add(step);
    }
    return step.frame();
  }
}
