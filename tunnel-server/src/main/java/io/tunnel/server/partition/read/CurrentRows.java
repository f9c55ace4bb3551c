package io.tunnel.server.partition.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableSnapshot;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * The rows of partitions as they are when they are read: nothing is kept for a tunnel. What a row
 * was when the tunnel was created, and has become since, is among the changes that come behind.
 */
public final class CurrentRows implements BaseRows {

  private final Catalog catalog;
  private final PartitionHosts hosts;
  private final Executor readers;
  private final LongSupplier epochMicros;

  /** Rows of the partitions that are hosted by {@code hosts}, read on {@code readers}. */
  public CurrentRows(
      Catalog catalog, PartitionHosts hosts, Executor readers, LongSupplier epochMicros) {
    this.catalog = catalog;
    this.hosts = hosts;
    this.readers = readers;
    this.epochMicros = epochMicros;
  }

  @Override
  public void read(
      String tunnelId, int partition, Bytes after, long firstPosition, int bytesMax, Sink sink) {
    try {
      readers.execute(
          () -> {
            try {
              readNow(partition, after, firstPosition, bytesMax, sink);
            } catch (RuntimeException e) {
              sink.failed(e);
            } catch (VirtualMachineError e) {
              // Without this call the channel would wait for the answer forever.
              sink.failed(
                  new RefusedException(ErrorCode.INTERNAL, "the rows cannot be read: " + e));
            }
          });
    } catch (RejectedExecutionException e) {
      sink.failed(new RefusedException(ErrorCode.BUSY, "too many reads wait; try again later"));
    }
  }

  private void readNow(int partition, Bytes after, long firstPosition, int bytesMax, Sink sink) {
    List<PrimaryKeySchema> schema = requireExists(partition).meta().primaryKey();
    BasePage page = new BasePage(schema, firstPosition, bytesMax);
    long nowMicros = epochMicros.getAsLong();
    PartitionHost host = hosts.of(partition);
    try (TableSnapshot now = host.tableNow(partition).snapshot()) {
      // A page without rows ends the channel, so it must not be that of rows that were dropped.
      host.requireWhole();
      requireExists(partition);
      TableSnapshot.Scan scan = now.scanBehind(partition, after, page::add);
      if (scan == TableSnapshot.Scan.CLOSED) {
        throw new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
      }
      page.tell(scan, partition, nowMicros, sink);
    }
  }

  private TableRecord requireExists(int partition) {
    return catalog.tableOfPartition(partition);
  }
}
