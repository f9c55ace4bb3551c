package io.tunnel.cli.tail;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/** The changes of one table. */
final class Changes implements AutoCloseable {

  /** Somebody waits at a terminal: a service that is away so long is told. */
  private static final Duration OUTAGE_MAX = Duration.ofSeconds(30);

  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  /** What all partitions together may have delivered and not printed, about. */
  private static final int READ_BYTES_MAX = 64 << 20;

  private static final int PARTITION_BYTES_MIN = 64 << 10;
  private static final int PARTITION_BYTES_MAX = 2 << 20;

  private final ClientConfig config;
  private final TableClient client;
  private final TableInfo table;
  private PartitionReader reader;

  private Changes(ClientConfig config, TableClient client, TableInfo table) {
    this.config = config;
    this.client = client;
    this.table = table;
  }

  /** Opens the changes of a table of the service at an endpoint. */
  static Changes open(String endpoint, String table) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(RETRY_DEADLINE);
    TableClient client = TableClient.connect(config);
    try {
      return new Changes(config, client, client.partitionMap(table));
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** The table with its partitions, without counts. */
  TableInfo table() {
    return table;
  }

  /** Where the partitions begin and end now, and where a moment lies. */
  TablePositions positions(Optional<Long> timeMs) {
    return client.findPositions(table.meta().name(), timeMs);
  }

  /** Begins to read partitions that are not read now. */
  void start(Collection<ReadStart> starts) {
    if (starts.isEmpty()) {
      return;
    }
    if (reader == null) {
      int share = READ_BYTES_MAX / table.partitions().size();
      int bytesMax = Math.max(PARTITION_BYTES_MIN, Math.min(PARTITION_BYTES_MAX, share));
      reader =
          new PartitionReader(
              config,
              table,
              PartitionReaderConfig.DEFAULTS
                  .withPartitionBytesMax(bytesMax)
                  .withOutageMax(OUTAGE_MAX));
    }
    starts.forEach(reader::start);
  }

  /** The next changes of any partition; empty when none came in time. */
  Optional<PartitionRecords> poll(Duration wait) throws InterruptedException {
    return reader.poll(wait);
  }

  @Override
  public void close() {
    try (client) {
      if (reader != null) {
        reader.close();
      }
    }
  }
}
