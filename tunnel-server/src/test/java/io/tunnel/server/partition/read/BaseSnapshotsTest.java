package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.partition.read.BaseFixture.AGE_MS_MAX;
import static io.tunnel.server.partition.read.BaseFixture.ALL_BYTES;
import static io.tunnel.server.partition.read.BaseFixture.TUNNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BaseSnapshotsTest {

  @TempDir private Path directory;
  private BaseFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new BaseFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void rows_and_positions_are_of_one_moment_whatever_is_written_around_it(long seed)
      throws Exception {
    Random random = new Random(seed);
    Map<Integer, List<RowChange>> written = new HashMap<>();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < 2_000; i++) {
                int partition = at.partitions.get(random.nextInt(at.partitions.size()));
                String key = "k" + (3 * at.partitions.indexOf(partition)) + random.nextInt(50);
                RowChange change =
                    random.nextInt(3) == 0 ? new RowDeleteChange(TestRows.key(key)) : put(key);
                written.computeIfAbsent(partition, id -> new ArrayList<>()).add(change);
                at.post(batch(partition, change));
              }
            });
    writer.start();
    Map<Integer, Long> committed = at.begin();
    List<List<Bytes>> duringWrites = new ArrayList<>();
    for (int partition : at.partitions) {
      duringWrites.add(at.keys(partition, 100));
    }
    writer.join();
    for (int partition : at.partitions) {
      at.write("k" + 3 * at.partitions.indexOf(partition) + "z");
    }
    for (int i = 0; i < at.partitions.size(); i++) {
      int partition = at.partitions.get(i);
      Set<Bytes> expected = new TreeSet<>();
      long position = committed.get(partition);
      for (RowChange change :
          written.getOrDefault(partition, List.of()).subList(0, (int) position)) {
        Bytes key =
            TestRows.keyBytes(
                change.primaryKey().getPrimaryKeyColumns().get(0).getValue().asString());
        if (change instanceof RowDeleteChange) {
          expected.remove(key);
        } else {
          expected.add(key);
        }
      }
      assertThat(duringWrites.get(i)).containsExactlyElementsOf(expected);
      assertThat(at.keys(partition, ALL_BYTES)).containsExactlyElementsOf(expected);
    }
  }

  @Test
  void a_snapshot_is_freed_when_its_partition_is_finished() throws Exception {
    at.begin();
    int left = at.partitions.size();
    for (int id : at.partitions) {
      assertThat(at.snapshotCount()).isEqualTo(left);
      at.bases.forget(TUNNEL, id);
      at.bases.forget(TUNNEL, id);
      left--;
    }
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void a_forgotten_tunnel_has_no_snapshots_and_may_be_forgotten_again() throws Exception {
    at.begin();
    at.bases.forget(TUNNEL);
    at.bases.forget(TUNNEL);
    at.bases.forget(TUNNEL, at.partitions.get(0));
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void a_tunnel_forgotten_while_its_shards_are_busy_keeps_nothing() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    at.shards
        .all()
        .forEach(
            shard ->
                shard.execute(
                    Set.of(),
                    () -> {
                      try {
                        mayGoOn.await(60, TimeUnit.SECONDS);
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
    List<CompletableFuture<Long>> answers = new ArrayList<>();
    at.partitions.forEach(each -> answers.add(at.bases.keep(TUNNEL, each)));
    at.bases.forget(TUNNEL, at.partitions.get(0));
    at.bases.forget(TUNNEL);
    mayGoOn.countDown();
    for (CompletableFuture<Long> answer : answers) {
      assertThat(answer.get(60, TimeUnit.SECONDS)).isZero();
    }
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void rows_that_are_kept_already_are_kept_as_they_were() throws Exception {
    at.write("k1");
    int partition = at.partitions.get(0);
    Map<Integer, Long> first = at.begin();
    at.write("k2");
    assertThat(at.begin()).isEqualTo(first).containsEntry(partition, 1L);
    assertThat(at.snapshotCount()).isEqualTo(at.partitions.size());
    assertThat(at.strictReads).isEqualTo(at.partitions.size());
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"));
    assertThat(at.begin("other")).containsEntry(partition, 2L);
  }

  @Test
  void one_snapshot_more_than_a_node_keeps_is_not_kept_and_takes_no_others_place()
      throws Exception {
    at.write("k1");
    int partition = at.partitions.get(0);
    at.begin();
    assertThat(BaseFixture.COUNT_MAX).isEqualTo(at.partitions.size() + 1);
    assertThat(at.begin("other").get(partition)).as("the position comes anyway").isEqualTo(1);
    assertThat(at.snapshotCount()).isEqualTo(BaseFixture.COUNT_MAX);
    assertThat(at.bases.count()).isEqualTo(BaseFixture.COUNT_MAX);
    assertThat(at.bases.refused()).isEqualTo(at.partitions.size() - 1);
    at.write("k2");
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"));
    at.bases.forget("other");
    assertThat(at.snapshotCount()).isEqualTo(at.partitions.size());
    assertThat(at.begin("third")).containsEntry(partition, 2L);
    assertThat(at.snapshotCount()).isEqualTo(BaseFixture.COUNT_MAX);
    at.bases.forget(TUNNEL);
    at.bases.forget("third");
    assertThat(at.snapshotCount()).isZero();
    assertThat(at.bases.count()).isZero();
  }

  @Test
  void a_partition_that_is_led_in_another_epoch_is_read_as_it_is() throws Exception {
    at.write("k1");
    int partition = at.partitions.get(0);
    at.begin();
    at.write("k2");
    at.epoch++;
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"), keyBytes("k2"));
    at.bases.tick();
    assertThat(at.snapshotCount()).isZero();
  }

  /** Otherwise the rows would lack changes that the answer says are among the rows. */
  @Test
  void a_question_in_another_epoch_takes_the_rows_anew() throws Exception {
    at.write("k1");
    int partition = at.partitions.get(0);
    at.begin();
    at.write("k2");
    at.epoch++;
    assertThat(at.begin()).containsEntry(partition, 2L);
    assertThat(at.snapshotCount()).as("the former ones are gone").isEqualTo(at.partitions.size());
    at.write("k2a");
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"), keyBytes("k2"));
  }

  @Test
  void a_lead_that_ends_while_the_rows_are_taken_keeps_nothing() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    int partition = at.partitions.get(0);
    at.shards
        .of(partition)
        .execute(
            Set.of(),
            () -> {
              try {
                mayGoOn.await(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    CompletableFuture<Long> answer = at.bases.keep(TUNNEL, partition);
    at.epoch++;
    mayGoOn.countDown();
    requireRefused(ErrorCode.NOT_LEADER, () -> answer.get(60, TimeUnit.SECONDS));
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void a_log_that_does_not_answer_refuses_all_who_ask_and_may_be_asked_again() throws Exception {
    at.isLogSilent = true;
    int partition = at.partitions.get(0);
    CompletableFuture<Long> one = at.bases.keep(TUNNEL, partition);
    CompletableFuture<Long> two = at.bases.keep(TUNNEL, partition);
    assertThat(at.refusals).as("one question serves both").hasSize(1);
    at.refusals.get(0).accept(new RefusedException(ErrorCode.LOG_UNAVAILABLE, "no answer"));
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> one.get(60, TimeUnit.SECONDS));
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> two.get(60, TimeUnit.SECONDS));
    at.isLogSilent = false;
    assertThat(at.begin()).hasSize(at.partitions.size());
    assertThat(at.snapshotCount()).isEqualTo(at.partitions.size());
  }

  @Test
  void a_full_disk_costs_no_kept_rows() throws Exception {
    at.write("k1");
    int partition = at.partitions.get(0);
    at.begin();
    at.refusal = Optional.of(new RefusedException(ErrorCode.BUSY, "the disk is full"));
    at.bases.tick();
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"));
    at.bases.forget(TUNNEL);
    FoundRows now = at.read(partition, Bytes.EMPTY, ALL_BYTES);
    requireRefused(ErrorCode.BUSY, now::await);
  }

  @Test
  void a_snapshot_that_is_too_old_is_given_up_and_the_rows_are_read_as_they_are() throws Exception {
    int partition = at.partitions.get(0);
    at.write("k1");
    at.begin();
    at.write("k2");
    at.clock.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX) - 1);
    at.bases.tick();
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"));
    assertThat(at.read(partition, Bytes.EMPTY, ALL_BYTES).await().batch().commitMicros())
        .as("the moment of the snapshot")
        .isEqualTo(5_000_000);
    at.clock.nanos.incrementAndGet();
    at.bases.tick();
    assertThat(at.snapshotCount()).isZero();
    assertThat(at.keys(partition, ALL_BYTES)).containsExactly(keyBytes("k1"), keyBytes("k2"));
    assertThat(at.read(partition, Bytes.EMPTY, ALL_BYTES).await().batch().commitMicros())
        .as("now")
        .isEqualTo(at.clock.epochMicros());
    assertThat(at.snapshotCount()).as("none is left behind by a read").isZero();
  }

  @Test
  void a_read_may_find_that_there_is_a_row_or_none() throws Exception {
    at.write("k1");
    at.begin();
    assertThat(at.read(at.partitions.get(0), Bytes.EMPTY, 0).await().isMore).isTrue();
    assertThat(at.read(at.partitions.get(0), keyBytes("k1"), 0).await().isEnd).isTrue();
    FoundRows none = at.read(at.partitions.get(1), Bytes.EMPTY, ALL_BYTES).await();
    assertThat(none.isEnd && !none.hasRows()).isTrue();
  }

  @Test
  void a_read_that_finds_the_readers_busy_is_done_later() throws Exception {
    at.write("k1");
    at.begin();
    at.readers.isFull = true;
    FoundRows found = at.read(at.partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    at.bases.tick();
    assertThat(found.isTold()).isFalse();
    at.readers.isFull = false;
    at.bases.tick();
    assertThat(found.await().lastKey).isEqualTo(keyBytes("k1"));
    at.bases.tick();
  }

  @Test
  void a_read_that_waits_when_the_server_stops_is_refused() throws Exception {
    at.begin();
    at.readers.isFull = true;
    FoundRows before = at.read(at.partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    at.bases.close();
    FoundRows after = at.read(at.partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    for (FoundRows refused : List.of(before, after)) {
      requireRefused(ErrorCode.SHUTTING_DOWN, refused::await);
    }
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void a_read_that_comes_when_the_shards_are_closed_is_refused() throws Exception {
    at.begin();
    at.readers.isPaused = true;
    FoundRows found = at.read(at.partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    at.bases.close();
    at.shards.close();
    at.readers.waiting.remove().run();
    requireRefused(ErrorCode.SHUTTING_DOWN, found::await);
    requireRefused(ErrorCode.SHUTTING_DOWN, at::begin);
  }

  @Test
  void a_shard_whose_rows_may_not_be_whole_refuses_and_nothing_is_kept() throws Exception {
    Shard broken = at.shards.of(at.partitions.get(0));
    broken.execute(
        Set.of(),
        () -> {
          throw new StackOverflowError("injected");
        });
    assertThat(at.post(batch(at.partitions.get(0), put("k1"))).refusal())
        .isEqualTo(ErrorCode.STORAGE_FAILED);
    requireRefused(ErrorCode.STORAGE_FAILED, at::begin);
    assertThat(at.snapshotCount()).isZero();
  }

  @Test
  void rows_of_a_table_that_was_dropped_are_refused() throws Exception {
    at.catalog.dropTable(at.table, Asked.NAMELESS);
    FoundRows found = new FoundRows();
    at.bases.read(TUNNEL, at.partitions.get(0), Bytes.EMPTY, 1, ALL_BYTES, found);
    requireRefused(ErrorCode.TABLE_NOT_FOUND, found::await);
  }

  @FunctionalInterface
  private interface Question {
    Object answer() throws Exception;
  }

  private static void requireRefused(ErrorCode code, Question asked) {
    assertThatThrownBy(asked::answer)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  /** Nobody else would ever answer the creation of the tunnel. */
  @Test
  void an_error_while_rows_are_kept_is_told_and_nothing_is_kept() throws Exception {
    at.clock.isBroken = true;
    requireRefused(ErrorCode.INTERNAL, at::begin);
    assertThat(at.snapshotCount()).isZero();
    at.clock.isBroken = false;
    at.begin();
    assertThat(at.snapshotCount()).isEqualTo(at.partitions.size());
  }

  /** The channel reads nothing until the failure is reported, and only this report comes. */
  @Test
  void a_read_that_an_error_ends_is_told_to_have_failed() throws Exception {
    at.write("k1");
    at.clock.isBroken = true;
    FoundRows found = at.read(at.partitions.get(0), Bytes.EMPTY, ALL_BYTES);
    assertThatThrownBy(found::await)
        .cause()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
  }
}
