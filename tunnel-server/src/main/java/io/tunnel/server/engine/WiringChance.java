package io.tunnel.server.engine;

import io.tunnel.model.value.Bytes;
import java.security.SecureRandom;

/** The machine's chance, for what nobody may guess. */
public final class WiringChance {

  private WiringChance() {}

  /** Any number. */
  public static int number() {
    return new SecureRandom().nextInt();
  }

  /** So many random bytes. */
  public static Bytes secret(int bytes) {
    byte[] secret = new byte[bytes];
    new SecureRandom().nextBytes(secret);
    return Bytes.copyOf(secret);
  }
}
