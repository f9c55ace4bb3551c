package io.tunnel.server.security.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PersistentMapTest {

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void it_is_a_map_and_every_version_of_it_stays_as_it_was(long seed) {
    Random random = new Random(seed);
    List<String> keys = keys(random);
    Map<String, Integer> model = new HashMap<>();
    PersistentMap<Integer> map = PersistentMap.empty();
    Map<PersistentMap<Integer>, Map<String, Integer>> versions = new HashMap<>();
    for (int step = 0; step < 2_000; step++) {
      String key = keys.get(random.nextInt(keys.size()));
      if (random.nextInt(5) < (step / 500 % 2 == 0 ? 3 : 1)) {
        model.put(key, step);
        map = map.with(key, step);
      } else {
        model.remove(key);
        map = map.without(key);
      }
      if (random.nextInt(100) == 0) {
        versions.put(map, Map.copyOf(model));
      }
      assertThat(map.get(key)).isEqualTo(model.get(key));
      assertThat(map.size()).isEqualTo(model.size());
    }
    versions.put(map, Map.copyOf(model));
    versions.forEach((version, then) -> requireEqual(version, then, keys));
    for (String key : keys) {
      map = map.without(key);
    }
    requireEqual(map, Map.of(), keys);
  }

  @Test
  void keys_of_one_hash_lie_side_by_side() {
    assertThat("AaAa".hashCode()).isEqualTo("BBBB".hashCode()).isEqualTo("AaBB".hashCode());
    PersistentMap<Integer> map =
        PersistentMap.<Integer>empty().with("AaAa", 1).with("BBBB", 2).with("AaBB", 3);
    assertThat(map.get("AaAa")).isEqualTo(1);
    assertThat(map.get("BBBB")).isEqualTo(2);
    assertThat(map.get("BBAa")).isNull();
    PersistentMap<Integer> less = map.without("BBBB").without("AaBB");
    assertThat(less.get("AaAa")).isEqualTo(1);
    assertThat(less.get("BBBB")).isNull();
    assertThat(less.size()).isEqualTo(1);
    assertThat(map.without("BBAa")).isSameAs(map);
  }

  @Test
  void pages_go_through_all_that_is_wanted_in_order() {
    PersistentMap<Integer> map = PersistentMap.empty();
    for (int i = 0; i < 1_000; i++) {
      map = map.with("k" + (1_000 + i), i);
    }
    List<Integer> all = new ArrayList<>();
    String after = "";
    for (List<Integer> page = map.page(after, 7, i -> i % 2 == 0);
        !page.isEmpty();
        page = map.page(after, 7, i -> i % 2 == 0)) {
      assertThat(page).hasSizeLessThanOrEqualTo(7);
      all.addAll(page);
      after = "k" + (1_000 + page.get(page.size() - 1));
    }
    assertThat(all).hasSize(500).isSorted().doesNotHaveDuplicates();
  }

  private static void requireEqual(
      PersistentMap<Integer> map, Map<String, Integer> model, List<String> keys) {
    assertThat(map.size()).isEqualTo(model.size());
    for (String key : keys) {
      assertThat(map.get(key)).as(key).isEqualTo(model.get(key));
    }
    List<Integer> values = new ArrayList<>();
    map.forEach(values::add);
    assertThat(values).containsExactlyInAnyOrderElementsOf(model.values());
    assertThat(map.page("", Integer.MAX_VALUE, each -> true))
        .containsExactlyElementsOf(new TreeMap<>(model).values());
  }

  /** Keys, half of which share a hash with another key. */
  private static List<String> keys(Random random) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      StringBuilder key = new StringBuilder();
      for (int part = 0; part < 5; part++) {
        key.append(random.nextBoolean() ? "Aa" : "BB");
      }
      keys.add(key.toString());
      keys.add("k" + random.nextInt(10_000));
    }
    return keys.stream().distinct().toList();
  }
}
