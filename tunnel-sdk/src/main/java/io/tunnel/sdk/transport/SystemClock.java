package io.tunnel.sdk.transport;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.WriterToken;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The only place where the SDK reads the machine's clock and random numbers. */
public final class SystemClock implements Ticker {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** An id that no two requests share, of any clients. */
  static String newRequestId() {
    return UUID.randomUUID().toString();
  }

  /** A number that is unpredictable and never repeats. */
  static Bytes newNonce() {
    byte[] nonce = new byte[Authentication.NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    return Bytes.copyOf(nonce);
  }

  /** Random bytes that make the id of a writer. */
  public static Bytes newSecret() {
    byte[] secret = new byte[WriterToken.SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    return Bytes.copyOf(secret);
  }

  /** A source of jitter that differs from client to client. For one thread at a time. */
  public static RandomGenerator jitter() {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(System.nanoTime());
  }
}
