package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.security.Secret;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The gate of a simulated server that requires authentication. The keys are those of the server's
 * catalog, and one of an administrator, as a security directory has it.
 */
public final class SimGate {

  /** The id of the administrator's key. */
  public static final String KEY_ID = AccessKey.idOf(bytes(AccessKey.ID_BYTES));

  /** Its secret. */
  public static final String SECRET = "a secret of a simulation, of 32 bytes";

  private static final Principal ADMINISTRATOR = Principal.ofKey("administrator");

  private static final MasterKey MASTER =
      MasterKey.of(SimGate.bytes(MasterKey.KEY_BYTES), SimGate::bytes);

  private SimGate() {}

  /**
   * A closed gate by that clock.
   *
   * @param chance draws challenges and new keys: those of every run of a world
   * @param rights what the server knows of keys and permissions
   */
  public static Gate closed(
      SplittableRandom chance, Supplier<SecuritySnapshot> rights, LongSupplier nanos) {
    return Gate.closed(
        new Gate.Guard(MASTER, new Directory(), rights, drawn(chance), nanos, () -> 0));
  }

  /** A secret as it is stored of that key. */
  public static String sealed(Secret secret, String keyId) {
    return MASTER.seal(secret.utf8(), keyId);
  }

  private static Bytes bytes(int count) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) count);
    return Bytes.copyOf(bytes);
  }

  private static IntFunction<Bytes> drawn(SplittableRandom chance) {
    return count -> {
      byte[] bytes = new byte[count];
      chance.nextBytes(bytes);
      return Bytes.copyOf(bytes);
    };
  }

  /** The administrator's key. */
  private static final class Directory implements Gate.Administrators {

    private static final AccessKey KEY =
        AccessKey.of(
            KEY_ID, ADMINISTRATOR, MASTER.seal(SECRET.getBytes(StandardCharsets.UTF_8), KEY_ID), 0);

    @Override
    public Optional<AccessKey> key(String id) {
      return id.equals(KEY_ID) ? Optional.of(KEY) : Optional.empty();
    }

    @Override
    public Set<Principal> principals() {
      return Set.of(ADMINISTRATOR);
    }
  }
}
