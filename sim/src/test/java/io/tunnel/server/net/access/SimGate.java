package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * The gate of a simulated server that asks everybody who they are. There is one key, whose
 * principal is no administrator: each of its requests is decided by what was granted to it.
 */
public final class SimGate {

  /** The id of the key that is let in. */
  public static final String KEY_ID = AccessKey.idOf(bytes(AccessKey.ID_BYTES));

  /** Its secret. */
  public static final String SECRET = "a secret of a simulation, of 32 bytes";

  private static final String PRINCIPAL = "sim";
  private static final List<String> OF_TABLES = List.of("read", "write", "create", "alter", "drop");
  private static final List<String> OF_TUNNELS = List.of("consume", "create", "drop", "operate");

  private static final MasterKey MASTER =
      MasterKey.of(SimGate.bytes(MasterKey.KEY_BYTES), SimGate::bytes);

  private static final SecuritySnapshot RIGHTS = rights();

  private SimGate() {}

  /** A closed gate by that clock, or an open one. */
  public static Gate of(boolean isClosed, LongSupplier nanos) {
    return isClosed
        ? Gate.closed(new Gate.Guard(MASTER, new OneKey(), () -> RIGHTS, chance(), nanos, () -> 0))
        : Gate.open();
  }

  private static Bytes bytes(int count) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) count);
    return Bytes.copyOf(bytes);
  }

  /** Challenges of a server differ from each other, and are those of every run of a world. */
  private static IntFunction<Bytes> chance() {
    int[] drawn = {0};
    return count -> {
      byte[] bytes = new byte[count];
      Arrays.fill(bytes, (byte) drawn[0]++);
      return Bytes.copyOf(bytes);
    };
  }

  private static SecuritySnapshot rights() {
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    records.apply(records.noting(Permission.of(PRINCIPAL, true, OF_TABLES, "table:*")));
    records.apply(records.noting(Permission.of(PRINCIPAL, true, OF_TUNNELS, "tunnel:*")));
    return records.snapshot();
  }

  /** The key, which no catalog has. */
  private static final class OneKey implements Gate.Administrators {

    private static final AccessKey KEY =
        AccessKey.of(
            KEY_ID,
            Principal.ofKey(PRINCIPAL),
            MASTER.seal(SECRET.getBytes(StandardCharsets.UTF_8), KEY_ID),
            0);

    @Override
    public Optional<AccessKey> key(String id) {
      return id.equals(KEY_ID) ? Optional.of(KEY) : Optional.empty();
    }

    @Override
    public Set<Principal> principals() {
      return Set.of();
    }
  }
}
