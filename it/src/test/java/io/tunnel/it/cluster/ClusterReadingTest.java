package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Partitions that are read without a tunnel, of a node that is started as users start it. */
@Tag("proof-nodes")
class ClusterReadingTest {

  private static final int ROWS = 3;

  /** Less than rows may be old that are read, and more than an answer takes. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  @RegisterExtension final Stage stage = new Stage();

  /** Until the log has said where it ends, there may be rows that the node has not heard of. */
  @Test
  void rows_are_not_shown_before_the_log_has_said_that_they_are_all() throws Exception {
    Cluster cluster = new Cluster(stage, 1).start(1);
    Scene scene = new Scene(stage, cluster, 1);
    scene.fill(ROWS, 10);
    TableInfo table = scene.tables().describeTable(scene.table());
    int partition = table.partitions().get(0).id();
    PartitionReader reader =
        stage.closing(
            new PartitionReader(
                ClientConfig.of(cluster.endpoint()), table, PartitionReaderConfig.DEFAULTS));
    reader.start(ReadStart.rows(partition));
    assertThat(rowsToTheEnd(reader)).isEqualTo(ROWS);
    cluster.kafka().suspend();
    Optional<PartitionRecords> early;
    try {
      reader.start(ReadStart.rows(partition));
      early = reader.poll(SILENCE);
    } finally {
      cluster.kafka().resume();
    }
    assertThat(early).isEmpty();
    assertThat(rowsToTheEnd(reader)).isEqualTo(ROWS);
  }

  /** The end may come with the last rows or behind them. */
  private static int rowsToTheEnd(PartitionReader reader) throws InterruptedException {
    int rows = 0;
    boolean isEnd = false;
    while (!isEnd) {
      PartitionRecords next = reader.poll(Poll.LONG).orElseThrow();
      rows += next.records().size();
      isEnd = next.isEnd();
      next.release();
    }
    return rows;
  }
}
