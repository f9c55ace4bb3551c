package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three nodes. A client uses the features of rows before and after the leader of all its tables is
 * killed.
 */
@Tag("proof-cluster")
class ClusterFeaturesTest {

  private static final int NODES = 3;
  private static final int ROWS = 20;

  @RegisterExtension final Stage stage = new Stage();

  private Cluster cluster;
  private TableClient tables;

  private TableInfo create(CreateTableRequest request) {
    TableInfo table = tables.createTable(request);
    cluster.awaitWhole();
    return table;
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(long id, long value) {
    return new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  private static RowUpdateChange add(long id, long delta) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  private static List<RowChange> together(long value) {
    List<RowChange> rows = new ArrayList<>();
    for (int id = 1; id <= ROWS; id++) {
      rows.add(put(id, value));
    }
    return rows;
  }

  private long value(String table, long id) {
    return tables.getRow(table, key(id)).orElseThrow().value("v").orElseThrow().asLong();
  }

  private static long number(RowResult result) {
    return result.key().orElseThrow().getPrimaryKeyColumn("n").getValue().asLong();
  }

  private long newNumber(String table) {
    RowChange row =
        new RowPutChange(PrimaryKey.builder().add("shop", "s").auto("n").build(), List.of());
    return number(tables.write(table, List.of(row)).results().get(0));
  }

  /** Kills the leader of a table with one partition, and returns when another node leads. */
  private void kill(TableInfo table) {
    NodeProcess leader = cluster.leaderOf(table.partitions().get(0).id());
    leader.kill();
    cluster.awaitReplaced(leader);
    leader.begin();
    leader.awaitReady();
    cluster.awaitWhole();
  }

  @Test
  void rows_keep_their_features_when_leaders_are_killed() {
    cluster = new Cluster(stage, NODES).start(NODES);
    tables = stage.tables(cluster);
    TableInfo plain =
        create(CreateTableRequest.builder("p").key("id", PrimaryKeyType.INTEGER).build());
    TableInfo numbered =
        create(
            CreateTableRequest.builder("n")
                .key("shop", PrimaryKeyType.STRING)
                .autoKey("n")
                .build());
    TableInfo expiring =
        create(
            CreateTableRequest.builder("e")
                .key("id", PrimaryKeyType.INTEGER)
                .ttl(Duration.ofSeconds(5))
                .build());
    Set<Long> numbers = new HashSet<>();
    long counted = 0;
    long last = 0;
    for (int round = 1; round <= 3; round++) {
      long first = tables.writeAtomically("p", together(round)).results().get(0).position();
      assertThat(first).as("positions are dense").isEqualTo(last + 1);
      List<RowChange> refused = new ArrayList<>(together(-1));
      refused.add(new RowPutChange(key(1), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST));
      assertThat(tables.tryWriteAtomically("p", refused).results()).noneMatch(RowResult::isApplied);
      long position = tables.write("p", List.of(add(100, round))).results().get(0).position();
      assertThat(position).as("refused rows have no positions").isEqualTo(first + ROWS);
      last = position;
      counted += round;
      for (int i = 0; i < 3; i++) {
        long number = newNumber("n");
        assertThat(numbers.add(number)).as("number %d is new", number).isTrue();
        PrimaryKey row = PrimaryKey.builder().add("shop", "s").add("n", number).build();
        var unusedOfRow = tables.write("n", List.of(new RowDeleteChange(row)));
      }
      var unusedOfRound = tables.write("e", List.of(put(round, round)));
      kill(round == 1 ? plain : round == 2 ? numbered : expiring);
      for (int id = 1; id <= ROWS; id++) {
        assertThat(value("p", id)).isEqualTo(round);
      }
      assertThat(value("p", 100)).isEqualTo(counted);
    }
    assertThat(numbers).hasSize(9);
    for (long id = 1; id <= 3; id++) {
      long row = id;
      Poll.until("row " + id + " has expired", () -> tables.getRow("e", key(row)).isEmpty());
    }
    long[] puts = {0};
    Poll.until(
        "three rows and their DELETEs come before",
        () -> tables.write("e", List.of(put(9, 1))).results().get(0).position() == 6 + ++puts[0]);
    var unused = tables.alterTable("e", new OptionsChange().withTtl(Duration.ofHours(1)));
    var unusedToo = tables.write("e", List.of(put(10, 1)));
    kill(expiring);
    assertThat(value("e", 10)).isEqualTo(1);
  }
}
