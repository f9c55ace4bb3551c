package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.kafka.TestAppends;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Old changes of a node that has no local log, read from a real Kafka. */
class RealHistoryTest {

  private static final int PARTITION = TestAppends.FIRST;
  private static final long SECONDS_MAX = 120;
  private static final int RECORDS = 60;
  private static final int ROW_BYTES = 50_000;

  private final BlockingQueue<Integer> woken = new LinkedBlockingQueue<>();
  private TestAppends table;
  private ReadableAppendLog log;
  private OldChanges changes;
  private AppendHistory history;
  private AppendTimes times;

  @BeforeEach
  void start() throws Exception {
    table = new TestAppends(1);
    log = table.node();
    changes = new OldChanges(this::append, PARTITION);
    changes.mark();
    for (int i = 1; i <= RECORDS; i++) {
      if (i % 10 == 0) {
        changes.mark();
      }
      if (i % 7 == 0) {
        changes.appendFenced(1, 3);
      }
      changes.append(1_000L * i, ROW_BYTES, 2, 1);
    }
    history =
        new AppendHistory(
            new AppendHistory.Limits(1 << 20, 2 << 20, 2), log, any -> changes.known(), woken::add);
    times = new AppendTimes(log, any -> changes.known());
  }

  @AfterEach
  void stop() throws IOException {
    history.close();
    times.close();
    log.close();
    table.close();
  }

  /** Appends one record, and waits for its offset. */
  private void append(int partition, byte[] header, byte[] value, LongConsumer landed) {
    CompletableFuture<Optional<AppendLog.Placed>> placed = new CompletableFuture<>();
    log.append(partition, header, value, placed::complete);
    landed.accept(placed.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join().orElseThrow().offset());
  }

  private Extents read(long position) throws InterruptedException {
    while (true) {
      Extents planned =
          history.plan(PARTITION, position, changes.position(), 1 << 20).orElseThrow();
      if (!planned.isAwaited()) {
        return planned;
      }
      assertThat(woken.poll(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo(PARTITION);
    }
  }

  private Map<Long, Bytes> readFrom(long from) throws InterruptedException {
    TreeMap<Long, Bytes> delivered = new TreeMap<>();
    for (long position = from; position < changes.position(); ) {
      Extents.Held read = (Extents.Held) read(position);
      for (ChangeBatch each : read.batches()) {
        delivered.put(
            each.basePosition(), Bytes.copyOf(each.array(), each.offset(), each.byteCount()));
      }
      position = read.lastPosition() + 1;
    }
    return delivered;
  }

  @Test
  void all_changes_come_back_byte_for_byte_and_those_that_were_trimmed_are_lost() throws Exception {
    assertThat(readFrom(1)).isEqualTo(changes.batches);
    assertThat(readFrom(101)).isEqualTo(changes.batches.tailMap(100L, true));
    assertThat(times.positionBefore(PARTITION, 20_001).get(SECONDS_MAX, TimeUnit.SECONDS))
        .hasValue(60);
    assertThat(times.commitMicrosAfter(PARTITION, 60).get(SECONDS_MAX, TimeUnit.SECONDS))
        .hasValue(21_000);

    long position = changes.position();
    changes.mark();
    changes.append(1_000_000, 10, 4);
    log.deleteBefore(PARTITION, changes.lastOffset).get(SECONDS_MAX, TimeUnit.SECONDS);
    assertThatThrownBy(() -> read(20))
        .as("the node has not read the trim yet, and its pages are evicted")
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("changes 20 to " + (position - 1) + " of");
    changes.trim(position, changes.lastOffset);
    assertThatThrownBy(() -> read(30))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("changes 30 to " + (position - 1) + " of");
    assertThat(readFrom(position)).isEqualTo(changes.batches.tailMap(position, true));
    assertThat(times.positionBefore(PARTITION, 1).get(SECONDS_MAX, TimeUnit.SECONDS))
        .hasValue(position - 1);
  }
}
