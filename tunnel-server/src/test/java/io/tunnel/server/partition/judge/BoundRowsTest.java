package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BoundRowsTest {

  /** A sixth of them is 10. */
  private static final int ROWS_MAX = 60;

  private static final int SESSION_MAX = Limits.SESSION_ROWS_MAX;

  private static final Bytes SECRET = Bytes.copyOf(new byte[SessionProof.SECRET_BYTES]);

  private final Set<Long> alive = new HashSet<>();

  /** The owners of sessions; others belong to clients without a name. */
  private final Map<Long, String> owners = new HashMap<>();

  private final BoundPlaces places = new BoundPlaces(ROWS_MAX, 1 << 20);
  private final BoundRows few = new BoundRows(Map.of(), this::owner, places);

  private Optional<String> owner(long session) {
    return Optional.of(owners.getOrDefault(session, "")).filter(any -> alive.contains(session));
  }

  private static Bytes row(int partition, int key) {
    return Bytes.copyOf(new byte[] {0, 0, 0, (byte) partition, (byte) key});
  }

  private static Bytes key(long key) {
    return Bytes.copyOf(new byte[] {(byte) key});
  }

  /** Each session has a row in both partitions, whose key is the session. */
  private static Map<Bytes, Bytes> stored(int sessions) {
    Map<Bytes, Bytes> stored = new HashMap<>();
    for (int session = 1; session <= sessions; session++) {
      stored.put(row(1, session), SessionProof.encode(session));
      stored.put(row(2, session), SessionProof.encode(session));
    }
    return stored;
  }

  private BoundRows rowsOf(int sessions) {
    return new BoundRows(stored(sessions), this::owner);
  }

  private static List<Bytes> keys(long... keys) {
    return LongStream.of(keys).mapToObj(BoundRowsTest::key).toList();
  }

  private void open(long session, String owner) {
    alive.add(session);
    owners.put(session, owner);
  }

  /** Rows of a session, from one to before another. */
  private static ChangeBatch batch(long session, int from, int to) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.bind(new SessionProof(session, SECRET));
    IntStream.range(from, to)
        .forEach(row -> assertThat(builder.add(TestRows.put("k" + row))).isTrue());
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static ChangeBatch deletes(int from, int to) {
    List<RowChange> rows =
        IntStream.range(from, to)
            .<RowChange>mapToObj(row -> new RowDeleteChange(TestRows.key("k" + row)))
            .toList();
    return TestRows.batch(1, rows);
  }

  private void bind(long session, int from, int to) {
    ChangeBatch batch = batch(session, from, to);
    few.require(batch, session);
    few.saw(batch);
  }

  private boolean isFull(long session, int from, int to) {
    try {
      few.require(batch(session, from, to), session);
      return false;
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
      return true;
    }
  }

  /** Binds one row after the other until one is refused; returns how many were bound. */
  private int fill(long session, int from) {
    int bound = 0;
    while (!isFull(session, from + bound, from + bound + 1)) {
      bind(session, from + bound, from + bound + 1);
      bound++;
    }
    return bound;
  }

  @Test
  void rows_of_many_sessions_that_have_ended_come_in_one_batch_of_one_partition() {
    BoundRows bound = rowsOf(9);
    alive.addAll(List.of(2L, 5L));
    assertThat(bound.ended(512, any -> true))
        .contains(new BoundRows.Ended(1, keys(1, 3, 4, 6, 7, 8, 9)));
    assertThat(bound.ended(512, partition -> partition != 1))
        .as("where partition 1 is led elsewhere")
        .contains(new BoundRows.Ended(2, keys(1, 3, 4, 6, 7, 8, 9)));
    bound.drop(1);
    assertThat(bound.ended(512, any -> true))
        .contains(new BoundRows.Ended(2, keys(1, 3, 4, 6, 7, 8, 9)));
    assertThat(bound.ended(3, any -> true)).contains(new BoundRows.Ended(2, keys(1, 3, 4)));
  }

  @Test
  void no_row_comes_while_all_sessions_live() {
    BoundRows bound = rowsOf(3);
    alive.addAll(List.of(1L, 2L, 3L));
    assertThat(bound.ended(512, any -> true)).isEmpty();
    assertThat(bound.hasEnded()).isFalse();
  }

  @Test
  void a_principal_with_many_sessions_takes_a_sixth_and_others_get_rows() {
    open(1, "greedy");
    open(2, "greedy");
    open(3, "modest");
    assertThat(fill(1, 0) + fill(2, 20)).isEqualTo(ROWS_MAX / 6);
    bind(3, 40, 41);
    assertThatThrownBy(() -> few.require(batch(2, 50, 52), 2))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "principal 'greedy' has 10 bound rows with %d bytes of keys where this one would be"
                    .formatted(places.of("greedy").keyBytes())
                + " stored, and would bind 2 more with %d bytes; the server has 11 bound rows with"
                    .formatted(2 * TestRows.keyBytes("k50").length())
                + " %d bytes of keys there and takes at most 60 bound rows with 1048576 bytes of"
                    .formatted(places.of("greedy").keyBytes() + places.of("modest").keyBytes())
                + " keys, and a principal with bound rows gets further ones up to 1/5 of the free"
                + " places only: the others are kept for other principals. Delete rows, or close"
                + " sessions");
  }

  @Test
  void ten_greedy_principals_leave_a_third_and_the_last_place_is_for_a_new_one() {
    for (int owner = 1; owner <= 10; owner++) {
      open(owner, "p" + owner);
    }
    for (int round = 0; round < ROWS_MAX; round++) {
      for (int owner = 1; owner <= 10; owner++) {
        int row = 100 * owner + round;
        if (!isFull(owner, row, row + 1)) {
          bind(owner, row, row + 1);
        }
      }
    }
    int left = ROWS_MAX / 3;
    open(11, "late");
    assertThat(isFull(11, 0, left + 1)).isTrue();
    bind(11, 0, left);
    open(12, "later");
    assertThat(isFull(12, 50, 51)).isTrue();
  }

  @Test
  void clients_without_names_have_all_places_together() {
    alive.addAll(List.of(1L, 2L));
    bind(1, 0, 40);
    assertThat(fill(2, 40)).isEqualTo(20);
    bind(1, 0, 40);
    few.saw(deletes(0, 1));
    assertThat(fill(1, 70)).isEqualTo(1);
  }

  @Test
  void places_come_back_with_deletes_with_the_sweep_and_with_a_partition() {
    open(1, "greedy");
    assertThat(fill(1, 0)).isEqualTo(10);
    few.saw(deletes(0, 3));
    assertThat(fill(1, 50)).isEqualTo(3);
    few.saw(TestRows.batch(1, TestRows.put("k5")));
    assertThat(fill(1, 60)).as("a row was written without a session").isEqualTo(1);

    alive.remove(1L);
    open(2, "greedy");
    assertThat(isFull(2, 30, 31)).as("the rows of the session are still there").isTrue();
    few.saw(few.judge(deletes(0, 61)).accepted().orElseThrow());
    assertThat(places.of("greedy")).isEqualTo(BoundPlaces.Places.NONE);
    assertThat(fill(2, 30)).isEqualTo(10);

    few.drop(1);
    assertThat(places.of("greedy")).isEqualTo(BoundPlaces.Places.NONE);
    assertThat(fill(2, 30)).isEqualTo(10);
  }

  @Test
  void a_start_counts_stored_rows_for_their_owners() {
    open(1, "a");
    open(2, "a");
    open(3, "b");
    owners.put(4L, "b");
    BoundRows restored = new BoundRows(stored(4), this::owner, places);
    assertThat(List.of(places.of("a").rows(), places.of("b").rows())).containsExactly(4, 2);
    assertThat(places.of("").rows()).as("rows of a session that has ended").isEqualTo(2);
    restored.drop(1);
    restored.drop(2);
    assertThat(List.of(places.of("a"), places.of("b"), places.of("")))
        .containsOnly(BoundPlaces.Places.NONE);
  }

  @Test
  void rows_of_a_loaded_partition_are_bound_and_are_not_stored_again() {
    open(1, "a");
    open(2, "a");
    BoundRows loaded = rowsOf(1);
    loaded.restore(3, Map.of(key(7), SessionProof.encode(2)));
    assertThat(loaded.has(3)).isTrue();
    assertThat(loaded.left(2)).isEqualTo(1);
    assertThat(loaded.takeRaised()).isEmpty();
  }

  @Test
  void rows_of_a_session_are_counted_in_chosen_partitions_and_under_way_everywhere() {
    open(1, "a");
    BoundRows bound = rowsOf(2);
    assertThat(bound.left(1, any -> true)).isEqualTo(2);
    assertThat(bound.left(1, partition -> partition == 2)).isEqualTo(1);
    assertThat(bound.left(1, any -> false)).isZero();
    var unused = bound.reserve(batch(1, 0, 3), 1);
    assertThat(bound.left(1, any -> false)).isEqualTo(3);
    assertThat(bound.left(1, partition -> partition == 2)).isEqualTo(4);
  }

  @Test
  void rows_of_the_same_owner_take_no_second_place() {
    open(1, "greedy");
    open(2, "greedy");
    assertThat(fill(1, 0)).isEqualTo(10);
    bind(1, 0, 10);
    bind(2, 0, 5);
    assertThat(places.of("greedy").rows()).isEqualTo(10);
    assertThat(List.of(few.left(1), few.left(2))).containsOnly(5);
  }

  @Test
  void rows_of_another_principal_take_the_places_that_they_leave() {
    open(1, "greedy");
    open(2, "other");
    bind(2, 100, 104);
    assertThat(fill(1, 0)).isEqualTo(9);
    assertThat(isFull(1, 100, 101)).isTrue();
    few.saw(deletes(0, 4));
    bind(1, 100, 104);
    assertThat(places.of("greedy").rows()).isEqualTo(9);
    assertThat(places.of("other")).isEqualTo(BoundPlaces.Places.NONE);

    alive.add(3L);
    bind(3, 200, 251);
    open(4, "late");
    assertThat(isFull(4, 0, 1)).isTrue();
    bind(4, 200, 251);
    assertThat(places.of("late").rows()).as("there was no free place").isEqualTo(51);
  }

  @Test
  void a_batch_gets_places_for_all_its_rows_or_for_none() {
    open(1, "greedy");
    bind(1, 0, 8);
    assertThat(isFull(1, 8, 11)).isTrue();
    assertThat(isFull(1, 7, 10)).as("one of the three has its place").isFalse();
    assertThat(isFull(1, 8, 10)).isFalse();
  }

  @Test
  void keys_are_shared_by_their_bytes() {
    int keyBytes = TestRows.keyBytes("k1000").length();
    BoundPlaces small = new BoundPlaces(ROWS_MAX, 24L * keyBytes);
    BoundRows bound = new BoundRows(Map.of(), this::owner, small);
    open(1, "greedy");
    for (int row = 1000; row < 1004; row++) {
      ChangeBatch batch = batch(1, row, row + 1);
      bound.require(batch, 1);
      bound.saw(batch);
    }
    assertThat(small.of("greedy").keyBytes()).isEqualTo(4L * keyBytes);
    assertThatThrownBy(() -> bound.require(batch(1, 1004, 1005), 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("would bind 1 more with " + keyBytes + " bytes");
    open(2, "other");
    bound.require(batch(2, 1004, 1024), 2);
    assertThatThrownBy(() -> bound.require(batch(2, 1004, 1025), 2))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the server has 4 bound rows");
  }

  @Test
  void batches_that_are_under_way_pass_no_limit_together() {
    open(1, "greedy");
    open(2, "greedy");
    open(3, "other");
    BoundRows.Reserved first = few.reserve(batch(1, 0, 10), 1);
    assertThat(isFull(2, 10, 11)).isTrue();
    assertThat(isFull(3, 10, 60)).isFalse();
    BoundRows.Reserved second = few.reserve(batch(3, 10, 60), 3);
    open(4, "late");
    assertThat(isFull(4, 60, 61)).isTrue();
    few.unreserve(second);
    assertThat(isFull(4, 60, 61)).as("the second batch was not written").isFalse();
    assertThat(isFull(2, 10, 11)).as("the first batch may be written").isTrue();
    few.unreserve(first);
    assertThat(isFull(2, 10, 11)).as("neither batch was written").isFalse();
    assertThat(List.of(places.of("greedy"), places.of("other")))
        .containsOnly(BoundPlaces.Places.NONE);
  }

  @Test
  void rows_under_way_count_as_rows_of_their_session() {
    open(1, "owner");
    BoundRows.Reserved three = few.reserve(batch(1, 0, 3), 1);
    BoundRows.Reserved two = few.reserve(batch(1, 3, 5), 1);
    assertThat(few.left(1)).isEqualTo(5);
    few.saw(batch(1, 0, 3));
    few.unreserve(three);
    assertThat(few.left(1)).as("three rows are stored, two are under way").isEqualTo(5);
    few.unreserve(two);
    assertThat(few.left(1)).as("the other rows were refused").isEqualTo(3);
    BoundRows.Reserved again = few.reserve(batch(1, 0, 3), 1);
    assertThat(few.left(1)).as("rows that the session has are counted once").isEqualTo(3);
    few.unreserve(again);
    assertThat(few.left(1)).isEqualTo(3);
  }

  /** With so many rows before, in one batch as in two; the last one is bound, the next one not. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 500, SESSION_MAX - 1, SESSION_MAX})
  void a_session_has_a_thousand_rows_in_a_partition_and_not_one_more(int before) {
    BoundRows bound = new BoundRows(Map.of(), this::owner);
    alive.addAll(List.of(1L, 2L));
    bound.saw(batch(1, 0, before));
    int left = SESSION_MAX - before;
    if (left > 0) {
      bound.require(batch(1, before, SESSION_MAX), 1);
    }
    requireFull(bound, batch(1, before, SESSION_MAX + 1));
    requireFull(bound, batch(1, SESSION_MAX, SESSION_MAX + left + 1));
    // Rows that the session has are no further ones.
    bound.require(batch(1, 0, SESSION_MAX), 1);
    bound.saw(batch(1, before, SESSION_MAX));
    requireFull(bound, batch(1, SESSION_MAX, SESSION_MAX + 1));
    bound.require(batch(1, 1, SESSION_MAX), 1);
    bound.require(batch(2, 0, SESSION_MAX), 2);
    requireFull(bound, batch(1, SESSION_MAX - 1, SESSION_MAX + 1));
    bound.saw(deletes(0, 1));
    bound.require(batch(1, SESSION_MAX, SESSION_MAX + 1), 1);
    requireFull(bound, batch(1, SESSION_MAX, SESSION_MAX + 2));
  }

  private static void requireFull(BoundRows bound, ChangeBatch batch) {
    assertThatThrownBy(() -> bound.require(batch, 1))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED))
        .hasMessageContaining("a session has at most 1000 in a partition");
  }

  @Test
  void a_shard_has_so_many_rows_and_bytes_of_keys_and_not_one_more() {
    int keyBytes = TestRows.keyBytes("k10").length();
    alive.add(1L);
    for (int max = 1; max <= 3; max++) {
      BoundRows byRows = new BoundRows(Map.of(), this::owner, new BoundPlaces(max, 1 << 20));
      BoundRows byBytes =
          new BoundRows(Map.of(), this::owner, new BoundPlaces(100, (long) max * keyBytes));
      BoundRows bySome =
          new BoundRows(Map.of(), this::owner, new BoundPlaces(100, (max + 1L) * keyBytes - 1));
      for (BoundRows bound : List.of(byRows, byBytes, bySome)) {
        for (int before = 0; before <= max; before++) {
          bound.saw(batch(1, 10, 10 + before));
          bound.require(batch(1, 10, 10 + max), 1);
          int first = 10 + before;
          int end = 10 + max + 1;
          assertThatThrownBy(() -> bound.require(batch(1, first, end), 1))
              .isInstanceOf(RefusedException.class)
              .hasMessageContaining("and takes at most");
        }
      }
    }
  }

  @Test
  void rows_that_have_ended_come_up_to_the_number_asked_for_also_of_several_sessions() {
    Map<Bytes, Bytes> stored = new HashMap<>();
    for (int key = 1; key <= 9; key++) {
      stored.put(row(1, key), SessionProof.encode((key + 2) / 3));
    }
    BoundRows bound = new BoundRows(stored, this::owner);
    assertThat(bound.hasEnded()).isTrue();
    for (int count = 1; count <= 9; count++) {
      assertThat(bound.ended(count, any -> true).orElseThrow().keys())
          .isEqualTo(keys(LongStream.rangeClosed(1, count).toArray()));
    }
  }

  @Test
  void a_partition_has_bound_rows_from_the_first_to_the_last() {
    alive.add(1L);
    assertThat(few.has(1)).isFalse();
    bind(1, 0, 2);
    few.saw(deletes(0, 1));
    assertThat(few.has(1)).isTrue();
    assertThat(few.has(2)).isFalse();
    few.saw(deletes(1, 2));
    assertThat(few.has(1)).isFalse();
  }

  @Test
  void what_the_table_has_is_not_stored_again() {
    BoundRows bound = rowsOf(2);
    assertThat(bound.takeRaised()).as("rows that came from the table").isEmpty();
    alive.add(1L);
    bound.saw(batch(1, 0, 1));
    assertThat(bound.takeRaised()).hasSize(1);
    assertThat(bound.takeRaised()).as("rows that were taken").isEmpty();
  }

  @Test
  void a_session_that_has_ended_or_that_nobody_keeps_binds_nothing() {
    for (BoundRows bound : List.of(few, BoundRows.none())) {
      assertThatThrownBy(() -> bound.require(batch(7, 0, 1), 7))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_ENDED));
    }
  }

  @Test
  void a_key_takes_one_place_however_often_a_batch_has_it_and_each_row_without_a_number_one() {
    alive.add(1L);
    bind(1, 0, ROWS_MAX - 2);
    BatchBuilder twice = new BatchBuilder(TestRows.SCHEMA, 256);
    twice.bind(new SessionProof(1, SECRET));
    for (String key : List.of("a", "b", "a", "b")) {
      assertThat(twice.add(TestRows.put(key))).isTrue();
    }
    few.require(parsed(twice), 1);
    for (int rows = 2; rows <= 3; rows++) {
      BatchBuilder numbered =
          new BatchBuilder(
              List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING), PrimaryKeySchema.auto("n")),
              256);
      numbered.bind(new SessionProof(1, SECRET));
      for (int row = 0; row < rows; row++) {
        PrimaryKey key =
            PrimaryKey.builder().add("k", "a").add("n", PrimaryKeyValue.auto()).build();
        assertThat(numbered.add(new RowPutChange(key, List.of()))).isTrue();
      }
      ChangeBatch batch = parsed(numbered);
      if (rows == 2) {
        few.require(batch, 1);
      } else {
        assertThatThrownBy(() -> few.require(batch, 1)).hasMessageContaining("takes at most");
      }
    }
  }

  private static ChangeBatch parsed(BatchBuilder builder) {
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
