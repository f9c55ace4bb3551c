package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.Replicas;
import io.tunnel.wire.WriteResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose memory is small beside what it has to read. */
@Tag("proof-kafka")
class FollowerHeapTest {

  private static final int ROW_BYTES = 512 << 10;
  private static final int BATCH_ROWS = 8;
  private static final int BATCHES = 80;

  /** Much less than the rows, which are 320 MiB, and much more than what may wait. */
  private static final String HEAP = "-Xmx192m";

  @TempDir Path directory;

  /** All of the rows together are a fetch of Kafka's: less than 2 MiB before they are inflated. */
  @Test
  void rows_that_were_compressed_well_are_copied_in_a_small_heap() throws Exception {
    try (TestTable table = new TestTable(1, Long.MAX_VALUE)) {
      write(table);
      Path output = directory.resolve("follower.txt");
      Process follower =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  HEAP,
                  "-XX:+ExitOnOutOfMemoryError",
                  "-cp",
                  System.getProperty("java.class.path"),
                  FollowerMain.class.getName(),
                  table.config.bootstrap(),
                  table.config.cluster(),
                  directory.resolve("follower").toString(),
                  Long.toString(BATCHES * BATCH_ROWS))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        assertThat(follower.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(follower.exitValue()).as(Files.readString(output)).isZero();
        assertThat(Files.readString(output)).contains("copied up to");
      } finally {
        follower.destroyForcibly().waitFor();
      }
    }
  }

  private void write(TestTable table) throws Exception {
    AtomicInteger open = new AtomicInteger();
    try (Replicas leader = FollowerMain.open(table.log, directory.resolve("leader"), "leader")) {
      leader.lead(TestTable.FIRST);
      FollowerMain.await(() -> leader.figures().leading() == 1);
      for (int i = 0; i < BATCHES; i++) {
        open.incrementAndGet();
        leader
            .of(TestTable.FIRST)
            .write(
                new PendingWrite(batch(i), false, ColumnSizes.of(batch(i)), false, counts(open)));
        FollowerMain.await(() -> open.get() < 3);
      }
      FollowerMain.await(() -> open.get() == 0);
    }
  }

  private static ChangeBatch batch(int number) {
    RowChange[] rows = new RowChange[BATCH_ROWS];
    for (int i = 0; i < rows.length; i++) {
      Column zeros = new Column("zeros", ColumnValue.fromBinary(new byte[ROW_BYTES]));
      rows[i] = TestRows.put("row " + number + " " + i, zeros);
    }
    return TestRows.batch(TestTable.FIRST, rows);
  }

  private static PendingWrite.Outcome counts(AtomicInteger open) {
    return new PendingWrite.Outcome() {
      @Override
      public void written(WriteResult result) {
        open.decrementAndGet();
      }

      @Override
      public void refused(RefusedException reason) {
        throw new IllegalStateException(reason);
      }
    };
  }
}
