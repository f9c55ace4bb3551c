package io.tunnel.sdk.transport;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The only place where the SDK reads the machine's clock and random numbers. */
public final class SystemClock implements Ticker {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** Random numbers that nobody can predict; for any thread. */
  public static RandomGenerator chance() {
    return new SecureRandom();
  }

  /** A source of jitter that differs from client to client. For one thread at a time. */
  public static RandomGenerator jitter() {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(System.nanoTime());
  }
}
