package io.tunnel.sdk.transport;

import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The machine's time and chance: the one place where the SDK takes them from. */
public final class SystemClock implements Ticker {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** An id that no other request of any client has. */
  static String newRequestId() {
    return UUID.randomUUID().toString();
  }

  /** A source of jitter that differs from client to client. For one thread at a time. */
  public static RandomGenerator jitter() {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(System.nanoTime());
  }
}
