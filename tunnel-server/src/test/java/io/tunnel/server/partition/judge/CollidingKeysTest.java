package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A writer sends keys that all have one hash. */
final class CollidingKeysTest {

  private static final int BLOCKS = 12;
  private static final int KEYS = 1 << BLOCKS;

  /** What a map asked of the keys. */
  private int comparisons;

  /** "Aa" and "BB" have one hash, and so have all strings of such blocks. */
  private static List<Bytes> colliding() {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      StringBuilder key = new StringBuilder();
      for (int block = 0; block < BLOCKS; block++) {
        key.append((i >> block & 1) == 0 ? "Aa" : "BB");
      }
      keys.add(Bytes.copyOf(key.toString().getBytes(StandardCharsets.US_ASCII)));
    }
    return keys;
  }

  /** A key that counts. A hash map orders keys only whose class is comparable with itself. */
  private final class Counted implements Comparable<Counted> {
    private final RowKey key;

    Counted(RowKey key) {
      this.key = key;
    }

    @Override
    public int compareTo(Counted other) {
      comparisons++;
      return key.compareTo(other.key);
    }

    @Override
    public boolean equals(Object other) {
      comparisons++;
      return other instanceof Counted counted && key.equals(counted.key);
    }

    @Override
    public int hashCode() {
      return key.hashCode();
    }
  }

  private Counted counted(Bytes key) {
    return new Counted(new RowKey(1, key));
  }

  @Test
  void keys_of_one_hash_are_found_with_a_logarithm_of_comparisons() {
    Map<Counted, Integer> map = new HashMap<>();
    int number = 0;
    for (Bytes key : colliding()) {
      map.put(counted(key), number++);
    }
    number = 0;
    for (Bytes key : colliding()) {
      assertThat(map.get(counted(key))).isEqualTo(number++);
    }
    assertThat(map.keySet().stream().mapToInt(Object::hashCode).distinct().count()).isEqualTo(1);
    assertThat(comparisons).isLessThan(2 * KEYS * 4 * BLOCKS);
  }

  /** As a hash map looks for it: the class itself is what it is comparable with. */
  @Test
  void keys_that_a_writer_chooses_are_comparable_with_themselves() {
    for (Class<?> key : List.of(RowKey.class, Bytes.class)) {
      assertThat(key.getGenericInterfaces())
          .extracting(Type::getTypeName)
          .containsExactly("java.lang.Comparable<" + key.getName() + ">");
    }
  }

  @Test
  void keys_are_ordered_by_partition_and_then_by_their_bytes() {
    List<Bytes> keys = colliding();
    RowKey first = new RowKey(1, keys.get(0));
    assertThat(first).isLessThan(new RowKey(1, keys.get(1)));
    assertThat(new RowKey(2, keys.get(0))).isGreaterThan(new RowKey(1, keys.get(1)));
    assertThat(first).isEqualByComparingTo(new RowKey(1, keys.get(0)));
  }
}
