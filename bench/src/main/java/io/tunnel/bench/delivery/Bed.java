package io.tunnel.bench.delivery;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.stress.LoadClock;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What every figure stands on: a server in a process of its own, clients, a clock. */
record Bed(
    Children children,
    TunnelServerChild server,
    TableClient tables,
    TunnelClient tunnels,
    LoadClock clock,
    PrintWriter out) {

  static final String HASH = "hash";
  static final String SEQUENCE = "sequence";

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema(HASH, PrimaryKeyType.BINARY),
          new PrimaryKeySchema(SEQUENCE, PrimaryKeyType.INTEGER));
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Makes a table, every write of which is synced, and returns the id of a tunnel on it. */
  String newTunnel(String table, int partitions) {
    var unused =
        tables.createTable(
            new TableMeta(table, KEY, new TableOptions(Durability.FSYNC)),
            HashedKey.splitPoints(partitions));
    return tunnels
        .createTunnel(
            new CreateTunnelRequest(table, "figures", TunnelType.Stream, StreamStart.EARLIEST))
        .getTunnelId();
  }

  /** Returns when the condition holds. */
  void await(String what, int seconds, BooleanSupplier condition) {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("not within " + seconds + " s: " + what);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
  }

  /** Lets time pass. */
  void pause(long millis) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), () -> false);
  }
}
