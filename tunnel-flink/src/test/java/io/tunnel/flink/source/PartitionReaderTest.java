package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableOptions;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The SDK's reader of partitions with a server that is alone. */
class PartitionReaderTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  private static Served served;

  @BeforeAll
  static void begin() throws IOException {
    served = new Served();
  }

  @AfterAll
  static void end() throws IOException {
    served.close();
  }

  private static PartitionReader reader(TableInfo table) {
    return new PartitionReader(
        ClientConfig.of(served.endpoint()),
        table,
        PartitionReaderConfig.DEFAULTS.withPartitionBytesMax(64 << 10));
  }

  private static int first(TableInfo table) {
    return table.partitions().get(0).id();
  }

  /** Writes so many rows of a partition with values of about 1 KiB. */
  private static void fill(String table, int count) {
    for (int i = 0; i < count; i += 100) {
      List<RowChange> rows = new ArrayList<>();
      for (int k = i; k < Math.min(count, i + 100); k++) {
        rows.add(Served.put(0, "k" + k, "x".repeat(1_000)));
      }
      served.write(table, rows);
    }
  }

  private static RefusedException refused(PartitionReader reader) {
    return catchThrowableOfType(RefusedException.class, () -> reader.poll(LONG));
  }

  @Test
  void more_than_the_credit_comes_in_order_as_it_is_released() throws Exception {
    TableInfo table = served.create("much", 1);
    fill("much", 500);
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 100).upTo(450));
      List<Long> positions = new ArrayList<>();
      while (true) {
        PartitionRecords next = reader.poll(LONG).orElseThrow();
        if (next.isEnd()) {
          break;
        }
        next.records().stream().map(StreamRecord::position).forEach(positions::add);
        next.release();
        next.release();
      }
      assertThat(positions).isEqualTo(LongStream.rangeClosed(101, 450).boxed().toList());
      reader.start(ReadStart.changes(first(table), 450));
      assertThat(reader.poll(LONG).orElseThrow().records().get(0).position()).isEqualTo(451);
    }
  }

  @Test
  void history_that_is_lost_is_said_and_not_left_out() {
    TableInfo table = served.create("short", 1, new TableOptions(Durability.OS, 0, 1));
    fill("short", 1_000);
    Poll.untilTrue(
        () -> {
          PartitionPositions found =
              served.client().findPositions("short", Optional.empty()).partitions().get(0);
          return found.earliest() > 0 && found.latest() == 1_000;
        });
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 0));
      RefusedException lost = refused(reader);
      assertThat(lost.code()).isEqualTo(ErrorCode.HISTORY_LOST);
      assertThat(lost).hasMessageContaining("partition " + first(table));
    }
    assertThatThrownBy(() -> served.client().findPositions("short", Optional.of(1L)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.HISTORY_LOST));
  }

  @Test
  void positions_that_do_not_exist_and_tables_that_are_dropped_are_refused() throws Exception {
    TableInfo table = served.create("gone", 1);
    fill("gone", 1);
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 9));
      assertThat(refused(reader).code()).isEqualTo(ErrorCode.INVALID_POSITION);
    }
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 0));
      reader.poll(LONG).orElseThrow().release();
      served.client().dropTable("gone");
      assertThat(refused(reader).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 0));
      assertThat(refused(reader).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }
  }

  @Test
  void a_waiting_poll_is_woken() throws Exception {
    TableInfo table = served.create("quiet", 1);
    try (PartitionReader reader = reader(table)) {
      reader.start(ReadStart.changes(first(table), 0));
      reader.wakeUp();
      assertThat(reader.poll(LONG)).isEmpty();
      assertThat(reader.poll(Duration.ZERO)).isEmpty();
      PartitionPositions found = reader.positions().get().partitions().get(0);
      assertThat(found)
          .isEqualTo(
              new PartitionPositions(first(table), 0, 0, Optional.empty(), found.incarnation()));
      assertThat(found.incarnation()).isPresent();
    }
  }
}
