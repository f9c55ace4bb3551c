package io.tunnel.server.partition;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.table.PassedTime;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server that is alone keeps of tables in its shards. */
public final class OwnLogs implements TableLogs {

  private static final Logger LOGGER = LoggerFactory.getLogger(OwnLogs.class);

  private final Shards shards;
  private final Retention retention;
  private final ExpirySweeps sweeps;
  private final SessionSweeps sessions;

  /**
   * For the tables of {@code catalog}, whose partitions are in {@code shards}.
   *
   * @param expiredRowsPerSecondMax how many rows that have expired are deleted in a second
   */
  public OwnLogs(Catalog catalog, Shards shards, int expiredRowsPerSecondMax) {
    this.shards = shards;
    this.retention = new Retention(catalog, shards);
    this.sweeps = new ExpirySweeps(catalog, shards.all(), expiredRowsPerSecondMax);
    this.sessions = new SessionSweeps(shards.all());
  }

  /** Deletes the rows of sessions that have ended; a few times a second, by one thread. */
  public void unbind() {
    sessions.tick();
  }

  /** How many rows of a session are stored. For any thread. */
  public long boundRows(long session) {
    return shards.all().stream().mapToLong(shard -> shard.bound().left(session)).sum();
  }

  /**
   * Looks for rows that have expired; a few times a second, by one thread. Returns at once; the
   * shards delete them on their threads.
   */
  public void expire(long nowNanos) {
    sweeps.tick(nowNanos);
  }

  /**
   * How long ago the first row expired that is still stored, in microseconds; empty before that is
   * known after a start. For any thread.
   */
  public OptionalLong expiryLagMicros() {
    return sweeps.lagMicros();
  }

  /**
   * Trims the changes that tables keep no longer at that time, and those of dropped tables. Returns
   * at once; the shards do it on their threads.
   */
  public void retain(PassedTime now) throws IOException {
    retention.look(now);
  }

  @Override
  public boolean areShared() {
    return false;
  }

  /** A shard takes writes of a partition as soon as it is in the catalog. */
  @Override
  public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  /** Retention looks at the catalog. */
  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return CompletableFuture.completedFuture(null);
  }

  /** Drops, each on its shard's thread, the rows of the table's partitions. */
  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    for (PartitionRecord partition : table.partitions()) {
      Shard shard = shards.of(partition.id());
      shard.execute(partition.id(), () -> dropRows(shard, partition.id()));
    }
    return CompletableFuture.completedFuture(null);
  }

  private static void dropRows(Shard shard, int partition) {
    try {
      shard.dropPartition(partition);
    } catch (IOException e) {
      LOGGER.warn("rows of dropped partition {} stay until the next start", partition, e);
    }
  }
}
