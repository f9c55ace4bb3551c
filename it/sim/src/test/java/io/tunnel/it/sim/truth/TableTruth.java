package io.tunnel.it.sim.truth;

import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A table, as the catalog has stored it from its creation to its end. */
public final class TableTruth {

  private static final long FOREVER = Long.MAX_VALUE;
  private static final long STAYS = Long.MAX_VALUE;

  final int tableId;
  public final String name;
  final List<Integer> partitions;

  /** The shortest time that changes were ever to be kept for, in milliseconds. */
  private long retentionMsMin = FOREVER;

  /** How long rows live; 0 for ever. No world alters that. */
  final long ttlMicros;

  private long droppedNanos = STAYS;

  TableTruth(TableRecord table) {
    tableId = table.tableId();
    name = table.meta().name();
    partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    ttlMicros = TimeUnit.MILLISECONDS.toMicros(table.meta().options().ttlMs().orElse(0L));
    altered(table.meta().options());
  }

  /** It has these options from now on. */
  void altered(TableOptions options) {
    if (options.retentionMs() > 0) {
      retentionMsMin = Math.min(retentionMsMin, options.retentionMs());
    }
  }

  /** Whether changes of it may ever go. */
  boolean forgets() {
    return retentionMsMin < FOREVER;
  }

  long retentionMsMin() {
    return retentionMsMin;
  }

  /** The restored catalog has the table, with these options. */
  void restored(TableOptions options) {
    droppedNanos = STAYS;
    altered(options);
  }

  /** It exists no more. */
  void dropped(long nowNanos) {
    droppedNanos = nowNanos;
  }

  boolean isDropped() {
    return droppedNanos != STAYS;
  }

  /** Whether it had been dropped at a moment. */
  boolean wasDropped(long nanos) {
    return nanos > droppedNanos;
  }
}
