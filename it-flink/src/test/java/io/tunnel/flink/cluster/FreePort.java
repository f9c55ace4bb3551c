package io.tunnel.flink.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** Ports for programs that have to be told theirs. */
final class FreePort {

  /** Under the ports that the system gives to outgoing connections, so that none takes it. */
  private static final int PORT_MIN = 10_000;

  private static final int PORT_MAX = 32_000;

  private static final Set<Integer> GIVEN = new HashSet<>();

  private FreePort() {}

  /** One that nobody listens on now, and that was given to nobody. */
  static synchronized int find() {
    SplittableRandom random = new SplittableRandom(System.nanoTime());
    while (true) {
      int candidate = random.nextInt(PORT_MIN, PORT_MAX);
      if (!GIVEN.add(candidate)) {
        continue;
      }
      try (ServerSocket probe = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
        return probe.getLocalPort();
      } catch (IOException e) {
        // In use: another one.
      }
    }
  }
}
