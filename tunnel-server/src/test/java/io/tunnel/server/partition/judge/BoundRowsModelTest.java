package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.SessionProof;
import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.judge.BoundPlaces.Places;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The places of each owner, beside a model that knows whose each row is and counts them all. */
final class BoundRowsModelTest {

  private static final int PARTITIONS = 2;
  private static final int KEYS = 40;
  private static final int ROWS_MAX = 30;
  private static final int KEY_BYTES_MAX = 500;
  private static final List<String> OWNERS = List.of("", "a", "b", "c");
  private static final Bytes SECRET = Bytes.copyOf(new byte[SessionProof.SECRET_BYTES]);

  private SplittableRandom random;
  private final Set<Long> alive = new TreeSet<>();
  private final Map<Long, String> owners = new HashMap<>();
  private long lastSession;

  /** What the table has. */
  private final Map<Bytes, Bytes> stored = new HashMap<>();

  private final Map<Row, Bound> rows = new TreeMap<>();
  private BoundPlaces places = new BoundPlaces(ROWS_MAX, KEY_BYTES_MAX);
  private BoundRows bound = new BoundRows(Map.of(), this::owner, places);
  private int refusals;

  private record Row(int partition, String name) implements Comparable<Row> {
    @Override
    public int compareTo(Row other) {
      int order = Integer.compare(partition, other.partition);
      return order == 0 ? name.compareTo(other.name) : order;
    }

    int keyBytes() {
      return TestRows.keyBytes(name).length();
    }
  }

  private record Bound(long session, String owner) {}

  private Optional<String> owner(long session) {
    return Optional.ofNullable(owners.get(session)).filter(any -> alive.contains(session));
  }

  private Set<String> names() {
    Set<String> names = new HashSet<>();
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      int key = random.nextInt(KEYS);
      names.add("k".repeat(1 + key % 9) + key);
    }
    return names;
  }

  private static ChangeBatch batch(int partition, Set<String> names, long session) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.bind(new SessionProof(session, SECRET));
    names.forEach(name -> assertThat(builder.add(TestRows.put(name))).isTrue());
    byte[] array = builder.build(partition);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private long anySession() {
    if (alive.isEmpty() || random.nextInt(8) == 0) {
      alive.add(++lastSession);
      owners.put(lastSession, OWNERS.get(random.nextInt(OWNERS.size())));
    }
    return List.copyOf(alive).get(random.nextInt(alive.size()));
  }

  private Places count(Optional<String> owner) {
    Places count = Places.NONE;
    for (Map.Entry<Row, Bound> row : rows.entrySet()) {
      if (owner.map(row.getValue().owner()::equals).orElse(true)) {
        count = count.plusRow(row.getKey().keyBytes());
      }
    }
    return count;
  }

  /** What the rule says, by the rows as they would be: others' rows leave their places first. */
  private boolean mayBind(Set<Row> batch, String owner) {
    Map<Row, Bound> before = new TreeMap<>(rows);
    Places own = count(Optional.of(owner));
    Places more = Places.NONE;
    boolean isNew = false;
    for (Row row : batch) {
      Bound of = rows.get(row);
      isNew |= of == null;
      if (of == null || !of.owner().equals(owner)) {
        more = more.plusRow(row.keyBytes());
        rows.remove(row);
      }
    }
    Places others = count(Optional.empty());
    rows.putAll(before);
    if (owner.isEmpty()) {
      Places all = others.plus(more);
      return !isNew || (all.rows() <= ROWS_MAX && all.keyBytes() <= KEY_BYTES_MAX);
    }
    return more.rows() == 0
        || (FreeShare.allows(own.rows(), more.rows(), others.rows(), ROWS_MAX)
            && FreeShare.allows(own.keyBytes(), more.keyBytes(), others.keyBytes(), KEY_BYTES_MAX));
  }

  private void bind() {
    long session = anySession();
    String owner = owners.get(session);
    int partition = 1 + random.nextInt(PARTITIONS);
    Set<String> names = names();
    Set<Row> of = new TreeSet<>();
    names.forEach(name -> of.add(new Row(partition, name)));
    ChangeBatch batch = batch(partition, names, session);
    boolean isBound = mayBind(of, owner);
    try {
      bound.require(batch, session);
      assertThat(isBound).as("%s of '%s' are bound: %s", of, owner, rows).isTrue();
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
      assertThat(isBound).as(e.getMessage()).isFalse();
      refusals++;
      return;
    }
    Optional<BoundRows.Reserved> reserved =
        random.nextBoolean() ? Optional.of(bound.reserve(batch, session)) : Optional.empty();
    if (random.nextInt(8) > 0) {
      bound.saw(batch);
      of.forEach(row -> rows.put(row, new Bound(session, owner)));
    }
    reserved.ifPresent(bound::unreserve);
  }

  private void delete() {
    int partition = 1 + random.nextInt(PARTITIONS);
    for (String name : names()) {
      bound.saw(TestRows.batch(partition, new RowDeleteChange(TestRows.key(name))));
      rows.remove(new Row(partition, name));
    }
  }

  private void end() {
    if (!alive.isEmpty()) {
      alive.remove(List.copyOf(alive).get(random.nextInt(alive.size())));
    }
  }

  private void sweep() {
    // A list: the order of a copied set differs from JVM to JVM, and so would the run of a seed.
    for (Row row : List.copyOf(rows.keySet())) {
      if (!alive.contains(rows.get(row).session()) && random.nextBoolean()) {
        ChangeBatch delete =
            TestRows.batch(row.partition(), new RowDeleteChange(TestRows.key(row.name())));
        bound.judge(delete).accepted().ifPresent(bound::saw);
        rows.remove(row);
      }
    }
  }

  private void drop() {
    int partition = 1 + random.nextInt(PARTITIONS);
    bound.drop(partition);
    rows.keySet().removeIf(row -> row.partition() == partition);
    stored.keySet().removeIf(row -> row.toByteArray()[Integer.BYTES - 1] == partition);
  }

  private void restart() {
    store();
    places = new BoundPlaces(ROWS_MAX, KEY_BYTES_MAX);
    bound = new BoundRows(stored, this::owner, places);
    rows.replaceAll((row, of) -> new Bound(of.session(), owner(of.session()).orElse("")));
  }

  private void store() {
    stored.putAll(bound.takeRaised());
    stored.values().removeIf(Bytes.EMPTY::equals);
  }

  private static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void each_owner_has_the_places_of_its_rows_and_its_share(long seed) {
    random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000; i++) {
      switch (random.nextInt(20)) {
        case 0 -> end();
        case 1, 2, 3 -> sweep();
        case 4 -> store();
        case 5, 6, 7 -> delete();
        case 8 -> {
          if (random.nextInt(5) == 0) {
            drop();
          }
        }
        case 9 -> {
          if (random.nextInt(5) == 0) {
            restart();
          }
        }
        default -> bind();
      }
      for (String owner : OWNERS) {
        assertThat(places.of(owner)).as("of '%s'", owner).isEqualTo(count(Optional.of(owner)));
      }
    }
    assertThat(refusals).isPositive();
  }
}
