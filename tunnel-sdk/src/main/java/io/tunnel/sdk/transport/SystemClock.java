package io.tunnel.sdk.transport;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The machine's time and chance: the one place where the SDK takes them from. */
public final class SystemClock implements Ticker {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** A source of jitter that differs from client to client. For one thread at a time. */
  public static RandomGenerator jitter() {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(System.nanoTime());
  }
}
