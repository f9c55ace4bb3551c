package io.tunnel.cli.tail;

import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/** The changes of one table. */
interface Changes extends AutoCloseable {

  /** The table with its partitions, without counts. */
  TableInfo table();

  /** Where the partitions begin and end now, and where a moment lies. */
  TablePositions positions(Optional<Long> timeMs);

  /** Begins to read partitions that are not read now. */
  void start(Collection<ReadStart> starts);

  /** What came next, of any partition; empty when nothing came in time. */
  Optional<PartitionRecords> poll(Duration wait) throws InterruptedException;

  @Override
  void close();

  /** Opens the changes of a table of the service at an endpoint. */
  @FunctionalInterface
  interface Connector {
    /** The changes of that table. */
    Changes open(String endpoint, String table);
  }
}
