package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * A client of the tests' own JVM that writes and reads one row of each partition of a table of its
 * own, does not wait long, and remembers which values the rows may have.
 */
final class Probe {

  /** Longer than an answer takes, and shorter than a fault that is looked at. */
  static final Duration PATIENCE = Duration.ofSeconds(4);

  private final TestTable table;
  private final TableClient client;
  private final List<Integer> ids;
  private long lastValue;

  private final Map<Integer, Long> acknowledged = new HashMap<>();

  /** Values in doubt: each may have been applied, or be applied yet. */
  private final Set<Long> doubtful = new HashSet<>();

  /** A table of the cluster, with a row in every partition. */
  Probe(Stage stage, Cluster cluster, int partitions) {
    Scene scene = new Scene(stage, cluster, partitions);
    table = scene.testTable();
    ids =
        scene.tables().describeTable(table.name()).partitions().stream()
            .map(partition -> partition.id())
            .toList();
    client = stage.closing(TableClient.connect(impatient(cluster.endpoint())));
    awaitWritten(partition -> true);
  }

  /** Who does not wait longer than {@link #PATIENCE}, and tries again for half of that. */
  static ClientConfig impatient(String endpoint) {
    return ClientConfig.of(endpoint)
        .withRetryDeadline(PATIENCE.dividedBy(2))
        .withWriteRetryDeadline(PATIENCE.dividedBy(2))
        .withConnectDeadline(PATIENCE)
        .withRequestDeadline(PATIENCE);
  }

  /**
   * Where Kafka has the table's changes; the partitions have the numbers of {@link #partitions}.
   */
  String topic() {
    return "it.log." + client.describeTable(table.name()).tableId();
  }

  List<Integer> partitions() {
    return ids;
  }

  private PrimaryKey key(int partition) {
    return TestTable.key(ids.indexOf(partition) * (long) TestTable.HASHES_PER_PARTITION, "probe");
  }

  /** Writes another value into a partition's row, once. */
  RowResult write(int partition) {
    long value = ++lastValue;
    RowPutChange row =
        new RowPutChange(key(partition), List.of(new Column("v", ColumnValue.fromLong(value))));
    RowResult result = client.tryWrite(table.name(), List.of(row)).results().get(0);
    if (result.outcome() == Outcome.APPLIED) {
      acknowledged.put(partition, value);
    } else if (result.outcome() == Outcome.IN_DOUBT) {
      doubtful.add(value);
    }
    return result;
  }

  /** Waits until a row of each of these partitions could be written. */
  void awaitWritten(IntPredicate isMeant) {
    for (int partition : ids.stream().filter(isMeant::test).toList()) {
      RowResult[] last = new RowResult[1];
      Poll.until(
          Poll.LONG,
          () -> {
            last[0] = write(partition);
            return last[0].isApplied();
          },
          () -> "a row of " + partition + " written, but " + last[0]);
    }
  }

  /**
   * Reads a partition's row; it must hold what was acknowledged last, or what is in doubt.
   *
   * @return nothing when nobody answered
   */
  OptionalLong read(int partition) {
    long value;
    try {
      value =
          client
              .getRow(table.name(), key(partition))
              .orElseThrow(() -> new AssertionError("the row of " + partition + " is gone"))
              .value("v")
              .orElseThrow()
              .asLong();
    } catch (RefusedException | ConnectionException e) {
      return OptionalLong.empty();
    }
    assertThat(doubtful.contains(value) || value == acknowledged.get(partition))
        .as("%d in the row of %d is %s, or in %s", value, partition, acknowledged, doubtful)
        .isTrue();
    return OptionalLong.of(value);
  }
}
