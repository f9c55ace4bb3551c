package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.rocks.RocksMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The one contract of RocksDB and of the map in memory. */
final class ByteMapTest {

  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 1);
  private static final int STEPS = 400;

  @TempDir private Path directory;

  private boolean isLogBroken;
  private int syncs;

  /** The implementations. */
  private enum Kind {
    ROCKS,
    MEMORY
  }

  private void syncLog() throws IOException {
    syncs++;
    if (isLogBroken) {
      throw new IOException("the log is broken");
    }
  }

  private ByteMap open(Kind kind) throws IOException {
    return switch (kind) {
      case ROCKS -> RocksMap.open(directory, CONFIG, this::syncLog, RocksMap.Tuning.NONE);
      case MEMORY -> new MemoryMap(this::syncLog);
    };
  }

  /** RocksDB does not flush when it is closed, so the next opening finds what a crash leaves. */
  private ByteMap crash(ByteMap map) throws IOException {
    if (map instanceof MemoryMap memory) {
      return memory.afterCrash(this::syncLog);
    }
    map.close();
    return open(Kind.ROCKS);
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[1 + random.nextInt(2)];
    for (int i = 0; i < key.length; i++) {
      // Low, high and extreme bytes: the order is that of unsigned bytes.
      key[i] = (byte) (new int[] {0, 1, 127, 128, 200, 255})[random.nextInt(6)];
    }
    return key;
  }

  private static byte[] value(Random random) {
    byte[] value = new byte[random.nextInt(200)];
    random.nextBytes(value);
    return value;
  }

  private static Bytes append(Bytes value, Bytes part) {
    byte[] both = new byte[value.length() + part.length()];
    value.copyInto(both, 0);
    part.copyInto(both, value.length());
    return Bytes.copyOf(both);
  }

  /** One write of several records, which the model applies in the same order. */
  private static byte[] write(Random random, NavigableMap<Bytes, Bytes> model) {
    WriteBatchSink sink = random.nextBoolean() ? WriteBatchSink.small() : new WriteBatchSink();
    for (int i = random.nextInt(6); i >= 0; i--) {
      byte[] key = key(random);
      byte[] value = value(random);
      switch (random.nextInt(9)) {
        case 0, 1 -> {
          sink.delete(key);
          model.remove(Bytes.copyOf(key));
        }
        case 2 -> {
          byte[] end = key(random);
          if (Bytes.copyOf(key).compareTo(Bytes.copyOf(end)) < 0) {
            sink.deleteRange(key, end);
            model.subMap(Bytes.copyOf(key), Bytes.copyOf(end)).clear();
          }
        }
        case 3, 4, 5 -> {
          sink.merge(key, value);
          model.merge(Bytes.copyOf(key), Bytes.copyOf(value), ByteMapTest::append);
        }
        default -> {
          sink.put(key, value);
          model.put(Bytes.copyOf(key), Bytes.copyOf(value));
        }
      }
    }
    return sink.toByteArray();
  }

  private static List<Map.Entry<Bytes, Bytes>> forward(ByteMap.Cursor at) {
    List<Map.Entry<Bytes, Bytes>> found = new ArrayList<>();
    for (at.toFirst(); at.isValid(); at.next()) {
      found.add(Map.entry(Bytes.copyOf(at.key()), Bytes.copyOf(at.value())));
    }
    at.requireWhole();
    return found;
  }

  private static List<Map.Entry<Bytes, Bytes>> backward(ByteMap.Cursor at) {
    List<Map.Entry<Bytes, Bytes>> found = new ArrayList<>();
    for (at.toLast(); at.isValid(); at.prev()) {
      found.add(0, Map.entry(Bytes.copyOf(at.key()), Bytes.copyOf(at.value())));
    }
    at.requireWhole();
    return found;
  }

  private static NavigableMap<Bytes, Bytes> between(
      NavigableMap<Bytes, Bytes> model, byte[] first, byte[] end) {
    Bytes from = Bytes.copyOf(first);
    Bytes to = Bytes.copyOf(end);
    return from.compareTo(to) < 0 ? model.subMap(from, true, to, false) : new TreeMap<>();
  }

  private static Optional<Bytes> found(byte[] value) {
    return Optional.ofNullable(value).map(Bytes::copyOf);
  }

  private static void requireEqual(
      ByteMap map, NavigableMap<Bytes, Bytes> model, Random random, String what)
      throws IOException {
    List<Map.Entry<Bytes, Bytes>> expected = List.copyOf(model.entrySet());
    try (ByteMap.Cursor at = map.all()) {
      assertThat(forward(at)).as(what).isEqualTo(expected);
      byte[] key = key(random);
      at.seek(key);
      assertThat(at.isValid() ? found(at.key()) : Optional.empty())
          .as(what)
          .isEqualTo(Optional.ofNullable(model.ceilingKey(Bytes.copyOf(key))));
      assertThat(found(map.get(key)))
          .as(what)
          .isEqualTo(Optional.ofNullable(model.get(Bytes.copyOf(key))));
    }
    byte[] first = key(random);
    byte[] end = key(random);
    if (Bytes.copyOf(first).compareTo(Bytes.copyOf(end)) < 0) {
      NavigableMap<Bytes, Bytes> range = between(model, first, end);
      try (ByteMap.Cursor at = map.between(first, end, random.nextBoolean())) {
        assertThat(forward(at)).as(what).isEqualTo(List.copyOf(range.entrySet()));
        assertThat(backward(at)).as(what).isEqualTo(List.copyOf(range.entrySet()));
      }
    }
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @CsvSource({"ROCKS,1", "ROCKS,2", "ROCKS,3", "MEMORY,1", "MEMORY,2", "MEMORY,3", "MEMORY,4"})
  void a_map_has_what_was_written_and_a_crash_leaves_what_was_flushed(Kind kind, long seed)
      throws IOException {
    Random random = new Random(seed);
    NavigableMap<Bytes, Bytes> model = new TreeMap<>();
    NavigableMap<Bytes, Bytes> flushed = new TreeMap<>();
    Map<ByteMap.Moment, NavigableMap<Bytes, Bytes>> moments = new LinkedHashMap<>();
    ByteMap map = open(kind);
    for (int step = 0; step < STEPS; step++) {
      String what = kind + ", seed " + seed + ", step " + step;
      switch (random.nextInt(12)) {
        case 0 -> {
          map.flush();
          flushed = new TreeMap<>(model);
        }
        case 1 -> moments.put(map.moment(), new TreeMap<>(model));
        case 2 -> {
          for (ByteMap.Moment moment : List.copyOf(moments.keySet())) {
            requireMoment(moment, moments.remove(moment), random, what);
            moment.release();
          }
        }
        case 3 -> {
          if (random.nextInt(4) == 0) {
            moments.keySet().forEach(ByteMap.Moment::release);
            moments.clear();
            map = crash(map);
            model = new TreeMap<>(flushed);
          }
        }
        default -> map.write(write(random, model));
      }
      requireEqual(map, model, random, what);
      byte[] key = key(random);
      assertThat(found(map.durable(key)))
          .as(what)
          .isEqualTo(Optional.ofNullable(flushed.get(Bytes.copyOf(key))));
    }
    moments.keySet().forEach(ByteMap.Moment::release);
    map.close();
  }

  private static void requireMoment(
      ByteMap.Moment moment, NavigableMap<Bytes, Bytes> model, Random random, String what) {
    byte[] key = key(random);
    assertThat(found(moment.get(key)))
        .as(what)
        .isEqualTo(Optional.ofNullable(model.get(Bytes.copyOf(key))));
    byte[] last = {-1, -1, -1};
    try (ByteMap.Cursor at = moment.between(new byte[0], last)) {
      assertThat(forward(at)).as(what).isEqualTo(List.copyOf(model.entrySet()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_cursor_has_the_entries_of_its_begin(Kind kind) throws IOException {
    ByteMap map = open(kind);
    map.write(puts(1, 2, 3));
    try (ByteMap.Cursor before = map.all()) {
      map.write(puts(4));
      before.toFirst();
      assertThat(forward(before)).hasSize(3);
      try (ByteMap.Cursor behind = map.all()) {
        assertThat(forward(behind)).hasSize(4);
      }
    }
    map.close();
  }

  @ParameterizedTest
  @EnumSource
  void an_array_of_the_caller_is_not_an_entry(Kind kind) throws IOException {
    ByteMap map = open(kind);
    map.write(puts(1));
    map.get(new byte[] {1})[0] = 9;
    try (ByteMap.Cursor at = map.all()) {
      at.toFirst();
      at.key()[0] = 9;
      at.value()[0] = 9;
    }
    assertThat(map.get(new byte[] {1})).containsExactly(1);
    map.close();
  }

  private static byte[] puts(int... keys) {
    WriteBatchSink sink = WriteBatchSink.small();
    for (int key : keys) {
      sink.put(new byte[] {(byte) key}, new byte[] {(byte) key});
    }
    return sink.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void added_entries_survive_a_crash_that_takes_earlier_writes_back(Kind kind) throws IOException {
    ByteMap map = open(kind);
    map.write(puts(9));
    try (ByteMap.Addition dropped = map.add("dropped")) {
      dropped.put(new byte[] {1}, new byte[] {1});
    }
    try (ByteMap.Addition added = map.add("added")) {
      added.put(new byte[] {2}, new byte[] {2});
      added.put(new byte[] {3}, new byte[] {3});
      assertThat(map.get(new byte[] {2})).as("before finish").isNull();
      added.finish();
    }
    assertThat(map.get(new byte[] {1})).as("dropped").isNull();
    assertThat(map.get(new byte[] {2})).containsExactly(2);
    map = crash(map);
    assertThat(map.get(new byte[] {9})).as("not flushed").isNull();
    assertThat(map.get(new byte[] {3})).containsExactly(3);
    map.close();
  }

  @ParameterizedTest
  @EnumSource
  void a_flush_syncs_the_log_first(Kind kind) throws IOException {
    ByteMap map = open(kind);
    map.write(puts(1));
    map.flush();
    assertThat(syncs).isEqualTo(1);
    map.write(puts(2));
    isLogBroken = true;
    ByteMap broken = map;
    assertThatThrownBy(broken::flush).isInstanceOf(IOException.class);
    assertThat(found(map.durable(new byte[] {2}))).as("a row without its log").isEmpty();
    assertThat(map.get(new byte[] {2})).as("stays readable").containsExactly(2);
    map = crash(map);
    assertThat(found(map.get(new byte[] {2}))).isEmpty();
    assertThat(map.get(new byte[] {1})).containsExactly(1);
    map.close();
  }
}
