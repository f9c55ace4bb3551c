package io.tunnel.server.engine;

import io.tunnel.model.value.Bytes;
import java.security.SecureRandom;

/** Secure random numbers of the machine. */
public final class WiringChance {

  private WiringChance() {}

  /** A random number. */
  public static int number() {
    return new SecureRandom().nextInt();
  }

  /** A random number of 64 bits. */
  public static long longNumber() {
    return new SecureRandom().nextLong();
  }

  /** Random bytes of this length. */
  public static Bytes secret(int bytes) {
    byte[] secret = new byte[bytes];
    new SecureRandom().nextBytes(secret);
    return Bytes.copyOf(secret);
  }
}
