package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.backup.cluster.MemoryKafka.Program;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.replica.append.LogSilentException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two restores into one cluster: the second begins before each request of the first. */
final class TwoRestoresTest {

  private static final Bytes KEY = Bytes.copyOf(new byte[32]);

  /** Requests of a restore into a new cluster before its note is stored. */
  private static final int REQUESTS_BEFORE_NOTE = 4;

  @TempDir private Path directory;

  private SavedWorld firstWorld;
  private SavedWorld secondWorld;
  private MemoryKafka wantedOfSecond;
  private int requests;
  private MemoryKafka kafka;
  private Program first;
  private Program second;
  private final List<String> remarks = new ArrayList<>();

  /** How a restore ended. */
  private record End(Optional<IOException> failure) {
    boolean isSuccess() {
      return failure.isEmpty();
    }
  }

  @BeforeEach
  void make() throws IOException {
    firstWorld = new SavedWorld(directory.resolve("first"), new Random(11));
    secondWorld = new SavedWorld(directory.resolve("second"), new Random(12));
    wantedOfSecond = new MemoryKafka();
    Program alone = wantedOfSecond.program();
    assertThat(run(secondWorld, alone).isSuccess()).isTrue();
    requests = alone.requests;
    begin();
  }

  private void begin() {
    kafka = new MemoryKafka();
    first = kafka.program();
    second = kafka.program();
  }

  private End run(SavedWorld world, Program on) {
    return run(world, on, Optional.empty());
  }

  private End run(SavedWorld world, Program on, Optional<RestoreNote> watched) {
    Random chance = new Random(world == firstWorld ? 21 : 22);
    try {
      var unused =
          new ClusterRestore(
                  world.data,
                  SavedWorld.SHARDS,
                  on,
                  new ClusterRestore.Chance(chance::nextLong, KEY),
                  new ClusterRestore.Pace(1, bytes -> {}, remarks::add))
              .run(watched, 7, 50_000);
      return new End(Optional.empty());
    } catch (IOException e) {
      return new End(Optional.of(e));
    }
  }

  private void requireWorldOfSecond() throws IOException {
    assertThat(LogForm.APPENDS.objection(kafka.catalog)).isEmpty();
    assertThat(kafka.groups).isEqualTo(wantedOfSecond.groups);
    Catalog tables = kafka.read();
    for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
      assertThat(bytes(kafka.logs.changes(partition)))
          .isEqualTo(bytes(wantedOfSecond.logs.changes(partition)));
      assertThat(tables.table("t" + partition).origin()).hasValue(kafka.origin(partition));
    }
  }

  private static List<Bytes> bytes(List<ChangeBatch> batches) {
    return batches.stream()
        .map(batch -> Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()))
        .toList();
  }

  /** The second looks once a second, and the first writes its note every five seconds. */
  private void firstLives() {
    int[] pauses = {0};
    second.inEachPause(
        () -> {
          first.advance(RestoreLease.LOOK_MS);
          pauses[0]++;
          if (pauses[0] % (RestoreLease.BEAT_MS / RestoreLease.LOOK_MS) == 0) {
            first.beat();
          }
        });
  }

  @Test
  void a_restore_refuses_while_another_one_runs_and_the_other_one_succeeds() throws IOException {
    int refused = 0;
    for (int at = REQUESTS_BEFORE_NOTE + 1; at < requests; at++) {
      begin();
      firstLives();
      List<End> ends = new ArrayList<>();
      first.before(at, () -> ends.add(run(secondWorld, second)));
      assertThat(run(firstWorld, first).failure()).as("request %s", at).isEmpty();
      assertThat(ends.get(0).failure().orElseThrow())
          .isInstanceOf(RestoreRunsException.class)
          .hasMessageContaining("began at 1970-01-01T00:00:50Z; this restore has changed nothing");
      assertThat(LogForm.APPENDS.objection(kafka.catalog)).isEmpty();
      refused++;
    }
    assertThat(refused).isGreaterThan(20);
    assertThat(remarks.get(0)).contains("waits 65 s to see whether it runs");
  }

  /** The note of the second comes after the first look of the first. */
  @Test
  void a_restore_that_finds_a_note_after_its_first_look_writes_nothing() {
    second.dieBefore(REQUESTS_BEFORE_NOTE + 2);
    first.before(
        REQUESTS_BEFORE_NOTE - 1,
        () ->
            assertThatThrownBy(() -> run(secondWorld, second))
                .isInstanceOf(MemoryKafka.Crash.class));
    assertThat(run(firstWorld, first).failure().orElseThrow())
        .isInstanceOf(RestoreRunsException.class)
        .hasMessageContaining("began at the same time");
    assertThat(RestoreNote.in(kafka.catalog)).isEqualTo(RestoreNote.in(firstNote()));
    assertThat(kafka.topics).isEmpty();
  }

  /** The texts after the first write of the second restore. */
  private Map<String, String> firstNote() {
    MemoryKafka other = new MemoryKafka();
    Program alone = other.program();
    alone.dieBefore(REQUESTS_BEFORE_NOTE + 2);
    assertThatThrownBy(() -> run(secondWorld, alone)).isInstanceOf(MemoryKafka.Crash.class);
    return other.catalog;
  }

  /** The machine of the first is suspended, with or without its clock, and wakes up again. */
  @Test
  void a_restore_that_was_suspended_for_long_ends_with_an_error_and_harms_no_other()
      throws IOException {
    for (boolean hasClock : new boolean[] {true, false}) {
      for (int at = 1; at <= requests; at++) {
        begin();
        second.inEachPause(() -> first.advance(hasClock ? RestoreLease.LOOK_MS : 0));
        List<End> ends = new ArrayList<>();
        first.before(at, () -> ends.add(run(secondWorld, second)));
        End ofFirst = run(firstWorld, first);
        assertThat(ends.get(0).failure()).as("request %s, clock %s", at, hasClock).isEmpty();
        assertThat(ofFirst.isSuccess()).as("request %s, clock %s", at, hasClock).isFalse();
        requireWorldOfSecond();
      }
    }
  }

  @Test
  void after_a_crash_anywhere_the_next_restore_waits_and_succeeds() throws IOException {
    for (int at = 1; at <= requests; at++) {
      begin();
      first.dieBefore(at);
      assertThatThrownBy(() -> run(firstWorld, first)).isInstanceOf(MemoryKafka.Crash.class);
      long beganNanos = second.nanos();
      remarks.clear();
      assertThat(run(secondWorld, second).failure()).as("request %s", at).isEmpty();
      boolean hasNote = at > REQUESTS_BEFORE_NOTE;
      assertThat(second.nanos() - beganNanos)
          .isEqualTo(hasNote ? RestoreLease.WATCH_MS * 1_000_000 : 0);
      assertThat(remarks).hasSize(hasNote ? 1 : 0);
      requireWorldOfSecond();
    }
  }

  /** How the first world is restored by a program that is alone. */
  private Program aloneWithFirst() {
    Program alone = new MemoryKafka().program();
    assertThat(run(firstWorld, alone).failure()).isEmpty();
    return alone;
  }

  /** Before the last record of the last partition, the logs have answered about all others. */
  @Test
  void after_a_failure_the_next_restore_begins_at_once() throws IOException {
    int last = aloneWithFirst().looks - 1;
    first.beforeLook(
        last,
        () -> {
          throw new IllegalStateException("a fault");
        });
    assertThatThrownBy(() -> run(firstWorld, first)).hasMessage("a fault");
    assertThat(RestoreNote.in(kafka.catalog).orElseThrow().hasFailed()).isTrue();
    long beganNanos = second.nanos();
    assertThat(run(secondWorld, second).failure()).isEmpty();
    assertThat(second.nanos()).isEqualTo(beganNanos);
    assertThat(remarks).isEmpty();
    requireWorldOfSecond();
  }

  /**
   * Topics are written by their names, so a late record can land in a topic of the next restore.
   */
  @Test
  void while_a_record_or_block_may_still_land_the_next_restore_waits_as_after_a_crash()
      throws IOException {
    int failures = 0;
    while (true) {
      begin();
      kafka.logs.failAfter(failures);
      End ofFirst = run(firstWorld, first);
      if (ofFirst.isSuccess()) {
        break;
      }
      failures++;
      assertThat(ofFirst.failure().orElseThrow())
          .hasRootCauseInstanceOf(LogSilentException.class)
          .hasMessageEndingWith("; begin again");
      assertThat(RestoreNote.in(kafka.catalog).orElseThrow().hasFailed()).isFalse();
      kafka.logs.failAfter(Long.MAX_VALUE);
      long beganNanos = second.nanos();
      assertThat(run(secondWorld, second).failure()).isEmpty();
      assertThat(second.nanos() - beganNanos).isEqualTo(RestoreLease.WATCH_MS * 1_000_000);
      requireWorldOfSecond();
    }
    assertThat(failures).isGreaterThan(20);
  }

  /** A restore looks at its lease before each record and each block. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void a_second_restore_begins_between_any_two_records_of_the_first(long seed) throws IOException {
    Program alone = aloneWithFirst();
    int before = alone.looksBeforeLogs;
    // The last look is for the note before the texts of the groups.
    int at = before + 1 + new Random(seed).nextInt(alone.looks - 1 - before);
    List<End> ends = new ArrayList<>();

    firstLives();
    first.beforeLook(at, () -> ends.add(run(secondWorld, second)));
    assertThat(run(firstWorld, first).failure()).as("look %s", at).isEmpty();
    assertThat(ends.get(0).failure().orElseThrow()).isInstanceOf(RestoreRunsException.class);

    begin();
    second.inEachPause(() -> first.advance(RestoreLease.LOOK_MS));
    first.beforeLook(at, () -> ends.add(run(secondWorld, second)));
    assertThat(run(firstWorld, first).failure().orElseThrow())
        .as("suspended at look %s", at)
        .hasMessageContaining("no sign of life");
    assertThat(ends.get(1).failure()).isEmpty();
    requireWorldOfSecond();

    begin();
    first.dieBeforeLook(at);
    assertThatThrownBy(() -> run(firstWorld, first)).isInstanceOf(MemoryKafka.Crash.class);
    assertThat(run(secondWorld, second).failure()).as("after a crash at look %s", at).isEmpty();
    requireWorldOfSecond();
  }

  private Optional<RestoreNote> await(Program by) throws IOException {
    return RestoreLease.await(by, Optional.empty(), remarks::add);
  }

  @Test
  void a_second_restore_refuses_before_it_copies_anything() {
    firstLives();
    first.before(
        requests - 20,
        () ->
            assertThatThrownBy(() -> await(second))
                .isInstanceOf(RestoreRunsException.class)
                .hasMessageContaining("this restore has changed nothing"));
    assertThat(run(firstWorld, first).failure()).isEmpty();
    assertThat(remarks).hasSize(1);
    assertThatThrownBy(() -> await(second)).hasMessageContaining("has a catalog already");
  }

  @Test
  void after_a_crash_a_restore_waits_before_it_copies_and_not_once_more() throws IOException {
    assertThat(await(second)).as("nobody to wait for").isEmpty();
    first.dieBefore(requests - 20);
    assertThatThrownBy(() -> run(firstWorld, first)).isInstanceOf(MemoryKafka.Crash.class);
    long beganNanos = second.nanos();
    Optional<RestoreNote> watched = await(second);
    assertThat(second.nanos() - beganNanos).isEqualTo(RestoreLease.WATCH_MS * 1_000_000);
    assertThat(run(secondWorld, second, watched).failure()).isEmpty();
    assertThat(second.nanos() - beganNanos).isEqualTo(RestoreLease.WATCH_MS * 1_000_000);
    requireWorldOfSecond();
  }

  @Test
  void a_restore_that_began_while_files_were_copied_is_watched_anew() throws IOException {
    first.dieBefore(requests - 20);
    assertThatThrownBy(() -> run(firstWorld, first)).isInstanceOf(MemoryKafka.Crash.class);
    Optional<RestoreNote> watched = await(second);
    Program third = kafka.program();
    third.dieBefore(requests - 20);
    assertThatThrownBy(() -> run(secondWorld, third, watched))
        .isInstanceOf(MemoryKafka.Crash.class);
    long beganNanos = second.nanos();
    assertThat(run(secondWorld, second, watched).failure()).isEmpty();
    assertThat(second.nanos() - beganNanos).isEqualTo(RestoreLease.WATCH_MS * 1_000_000);
    requireWorldOfSecond();
  }

  /** A restore that watches the notes would else miss a sign of life. */
  @Test
  void a_note_that_is_stored_late_and_the_next_note_differ() {
    List<Long> beats = new ArrayList<>();
    first.before(
        requests - 20,
        () -> {
          for (boolean isLate : new boolean[] {false, true, true, false}) {
            kafka.isLate = isLate;
            first.beat();
            beats.add(RestoreNote.in(kafka.catalog).orElseThrow().beats());
          }
        });
    assertThat(run(firstWorld, first).failure()).isEmpty();
    assertThat(beats).hasSize(4).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void topics_of_a_failed_restore_that_kafka_does_not_delete_end_the_restore() {
    first.dieBefore(requests - 20);
    assertThatThrownBy(() -> run(firstWorld, first)).isInstanceOf(MemoryKafka.Crash.class);
    kafka.keepsTopics = true;
    assertThat(run(secondWorld, second).failure().orElseThrow())
        .isInstanceOf(LogUnavailableException.class)
        .hasMessageContaining("Kafka did not delete the topics of a failed restore in time");
  }

  @Test
  void topics_that_nodes_could_not_use_end_the_restore_before_its_first_record() {
    kafka.problems = List.of("topic 3 has retention.ms=7");
    assertThat(run(firstWorld, first).failure().orElseThrow())
        .hasMessageStartingWith(
            "nodes could not use the topics that this restore has created: topic 3 has retention.ms=7. ");
    for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
      assertThat(kafka.logs.next(partition)).isEqualTo(1);
    }
    assertThat(RestoreNote.in(kafka.catalog).orElseThrow().hasFailed()).isTrue();
  }

  /** The stores of the second are open, so the beats of the first end. */
  @Test
  void a_beat_after_another_restore_has_taken_over_ends_the_restore() throws IOException {
    List<End> ends = new ArrayList<>();
    first.before(
        requests - 20,
        () -> {
          ends.add(run(secondWorld, second));
          first.beat();
        });
    End ofFirst = run(firstWorld, first);
    assertThat(ends.get(0).isSuccess()).isTrue();
    assertThat(ofFirst.failure().orElseThrow())
        .hasMessageContaining("has taken over the topics of this cluster, so this restore ends");
    requireWorldOfSecond();
  }

  @Test
  void a_restore_without_a_stored_note_for_long_writes_nothing_more() throws IOException {
    first.before(requests - 20, () -> first.advance(RestoreLease.HELD_MS));
    assertThat(run(firstWorld, first).failure().orElseThrow())
        .isInstanceOf(LogUnavailableException.class)
        .hasMessageContaining("no sign of life of this restore for 40000 ms")
        .hasMessageEndingWith("Run the command again when Kafka answers");
    assertThat(LogForm.APPENDS.objection(kafka.catalog)).isPresent();
  }

  @Test
  void topics_that_were_replaced_meanwhile_end_the_restore_before_its_last_write() {
    first.before(requests - 1, () -> kafka.topics.put(3, 99));
    assertThat(run(firstWorld, first).failure().orElseThrow())
        .hasMessageContaining("has replaced topics of this restore: topic 3 was created again");
    assertThat(RestoreNote.in(kafka.catalog)).isPresent();
  }
}
