package io.tunnel.server.channel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.KeyTerms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class WatchIndexTest {

  private final WatchIndex<Integer> index = new WatchIndex<>();

  private static Bytes bytes(int... each) {
    byte[] array = new byte[each.length];
    for (int i = 0; i < each.length; i++) {
      array[i] = (byte) each[i];
    }
    return Bytes.copyOf(array);
  }

  private Set<Integer> found(Bytes key) {
    byte[] around = new byte[key.length() + 4];
    key.copyInto(around, 2);
    Set<Integer> found = new HashSet<>();
    index.find(around, 2, key.length(), found::add);
    return found;
  }

  @Test
  void a_key_is_found_by_itself_and_by_each_of_its_prefixes() {
    index.add(1, List.of(bytes(1, 2, 3)), List.of());
    index.add(2, List.of(), List.of(bytes(1, 2)));
    index.add(3, List.of(), List.of(Bytes.EMPTY));
    index.add(4, List.of(bytes(1, 2)), List.of(bytes(1, 2, 3), bytes(9)));
    index.add(5, List.of(bytes(1, 2, 3, 4)), List.of(bytes(1, 3)));
    assertThat(found(bytes(1, 2, 3))).containsExactlyInAnyOrder(1, 2, 3, 4);
    assertThat(found(bytes(1, 2))).containsExactlyInAnyOrder(2, 3, 4);
    assertThat(found(Bytes.EMPTY)).containsExactly(3);
    index.remove(3, List.of(), List.of(Bytes.EMPTY));
    assertThat(found(bytes(7))).isEmpty();
  }

  @Test
  void it_finds_what_a_search_through_all_terms_finds() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      WatchIndex<Integer> tried = new WatchIndex<>();
      Map<Integer, KeyTerms> all = new LinkedHashMap<>();
      for (int step = 0; step < 300; step++) {
        if (random.nextInt(5) > 0) {
          KeyTerms terms = new KeyTerms(some(random), List.of(any(random)), false);
          all.put(step, terms);
          tried.add(step, terms.keys(), terms.prefixes());
        } else if (!all.isEmpty()) {
          int gone = new ArrayList<>(all.keySet()).get(random.nextInt(all.size()));
          KeyTerms terms = all.remove(gone);
          tried.remove(gone, terms.keys(), terms.prefixes());
        }
        byte[] key = any(random).toByteArray();
        Set<Integer> found = new HashSet<>();
        tried.find(key, 0, key.length, found::add);
        Set<Integer> expected = new HashSet<>(all.keySet());
        expected.removeIf(each -> !all.get(each).match(key, 0, key.length));
        assertThat(found).as("seed %d, step %d", seed, step).isEqualTo(expected);
      }
      all.forEach((each, terms) -> tried.remove(each, terms.keys(), terms.prefixes()));
      assertThat(tried.isEmpty()).isTrue();
      assertThat(tried.termCount()).isZero();
    }
  }

  private static List<Bytes> some(SplittableRandom random) {
    List<Bytes> some = new ArrayList<>();
    while (random.nextBoolean()) {
      some.add(any(random));
    }
    return some;
  }

  private static Bytes any(SplittableRandom random) {
    byte[] array = new byte[random.nextInt(5)];
    for (int i = 0; i < array.length; i++) {
      array[i] = (byte) (random.nextInt(3) - 1);
    }
    return Bytes.copyOf(array);
  }

  /** Twenty keys whose hashes are equal, as somebody could choose them. */
  @Test
  void keys_of_equal_hashes_are_told_apart() {
    // 31 * a + b is equal for (a, b) and (a + 1, b - 31).
    List<Bytes> equal = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        equal.add(bytes(i, 100 - 31 * i, j, 100 - 31 * j));
      }
    }
    for (int i = 0; i < equal.size(); i++) {
      index.add(i, List.of(equal.get(i)), List.of());
    }
    for (int i = 0; i < equal.size(); i++) {
      assertThat(found(equal.get(i))).containsExactly(i);
    }
  }

  @Test
  void many_follow_one_prefix_and_leave_it() {
    Bytes prefix = bytes(5);
    for (int i = 0; i < 5_000; i++) {
      index.add(i, List.of(), List.of(prefix));
    }
    assertThat(found(bytes(5, 1))).hasSize(5_000);
    for (int i = 0; i < 5_000; i++) {
      index.remove(i, List.of(), List.of(prefix));
    }
    assertThat(index.isEmpty()).isTrue();
  }
}
