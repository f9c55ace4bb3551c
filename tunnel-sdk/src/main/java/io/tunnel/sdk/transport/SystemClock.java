package io.tunnel.sdk.transport;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Authentication;
import java.security.SecureRandom;
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

  /** A number that nobody can guess and nobody draws again. */
  static Bytes newNonce() {
    byte[] nonce = new byte[Authentication.NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    return Bytes.copyOf(nonce);
  }

  /** A source of jitter that differs from client to client. For one thread at a time. */
  public static RandomGenerator jitter() {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(System.nanoTime());
  }
}
