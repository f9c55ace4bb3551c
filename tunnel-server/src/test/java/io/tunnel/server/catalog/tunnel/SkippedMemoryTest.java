package io.tunnel.server.catalog.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.FailureTexts;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Skipped changes of many tunnels, in a store that a test owns. */
class SkippedMemoryTest {

  private static final long BYTES_MAX = 200_000;

  private final Map<String, String> store = new TreeMap<>();
  private TunnelRecords records = opened();

  private TunnelRecords opened() {
    return new TunnelRecords(store, new SkippedMemory(BYTES_MAX), new FailureTexts(BYTES_MAX));
  }

  private void create(String id, String creator) {
    TunnelInfo info =
        new TunnelInfo(
            id,
            "n" + id,
            "t",
            TunnelType.Stream,
            StreamStart.EARLIEST,
            1,
            Optional.empty(),
            Optional.empty(),
            Optional.of(creator));
    store(TunnelRecords.creation(info, OptionalInt.empty(), Map.of()));
    records.created(info, OptionalInt.empty(), Map.of());
  }

  private void store(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) ->
            text.ifPresentOrElse(stored -> store.put(name, stored), () -> store.remove(name)));
  }

  private void skip(String id, List<SkippedChange> changes) {
    Map<String, Optional<String>> texts = records.skip(id, changes);
    store(texts);
    texts.forEach(records::apply);
  }

  private static SkippedChange change(long position, int keyChars, long ms) {
    PrimaryKey key = PrimaryKey.builder().add("id", "k".repeat(keyChars)).build();
    return new SkippedChange(1, ChannelType.Stream, position, key, "odd", ms);
  }

  private static List<SkippedChange> changes(long from, int count, int keyChars) {
    List<SkippedChange> changes = new ArrayList<>();
    for (long position = from; position < from + count; position++) {
      changes.add(change(position, keyChars, position));
    }
    return changes;
  }

  private static long bytesOf(Map<String, String> texts) {
    return texts.entrySet().stream()
        .filter(text -> text.getKey().startsWith("skipped/"))
        .filter(text -> text.getValue().contains("position"))
        .mapToLong(text -> SkippedMemory.bytes(text.getValue()))
        .sum();
  }

  private long heldBytes(Iterable<String> ids) {
    long bytes = 0;
    for (String id : ids) {
      for (SkippedChange change : records.skipped(id).last()) {
        bytes += SkippedMemory.bytes(change.key().toString() + change.error());
      }
    }
    return bytes;
  }

  @Test
  void a_creator_with_many_tunnels_takes_nothing_from_one_with_few_and_all_are_counted() {
    create("few", "ann");
    skip("few", changes(1, 10, 100));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String id = "many" + i;
      ids.add(id);
      create(id, "bob");
      skip(id, changes(1_000L * (i + 1), Skipped.LAST_MAX, 1_000));
    }
    assertThat(records.skipped("few").last()).hasSize(10);
    assertThat(ids).allMatch(id -> records.skipped(id).count() == Skipped.LAST_MAX);
    assertThat(heldBytes(ids)).isLessThan(BYTES_MAX).isGreaterThan(BYTES_MAX / 2);
    assertThat(records.skipped("many49").last()).isNotEmpty();
    assertThat(records.skipped("many0").last()).isEmpty();

    records = opened();
    assertThat(records.skipped("few")).isEqualTo(new Skipped(10, changes(1, 10, 100)));
    assertThat(ids).allMatch(id -> records.skipped(id).count() == Skipped.LAST_MAX);
    assertThat(heldBytes(ids)).isLessThan(BYTES_MAX);
  }

  @Test
  void a_start_over_the_bound_drops_the_oldest_changes_and_the_next_write_their_texts() {
    create("a", "ann");
    skip("a", changes(1, 50, 500));
    TunnelRecords small =
        new TunnelRecords(store, new SkippedMemory(BYTES_MAX / 10), new FailureTexts(BYTES_MAX));
    records = small;
    List<SkippedChange> left = records.skipped("a").last();
    assertThat(records.skipped("a").count()).isEqualTo(50);
    assertThat(left).isNotEmpty().isEqualTo(changes(51 - left.size(), left.size(), 500));
    skip("a", changes(51, 1, 500));
    assertThat(bytesOf(store)).isLessThan(BYTES_MAX / 10 + SkippedMemory.bytes("k".repeat(700)));
    assertThat(records.skipped("a").count()).isEqualTo(51);
  }

  @Test
  void all_groups_of_a_cluster_together_keep_what_one_server_keeps() {
    assertThat(TunnelRecords.GROUPS).isEqualTo(Unit.TUNNEL_GROUPS);
  }

  /** What must be true whatever happens, beside a model that counts. */
  private static final class World {
    private final SkippedMemoryTest at;
    private final Random random;
    private final Map<String, Long> counts = new HashMap<>();
    private final Map<String, Long> last = new HashMap<>();
    private long now = 1;

    World(SkippedMemoryTest at, long seed) {
      this.at = at;
      this.random = new Random(seed);
    }

    private void step() {
      String id = "t" + random.nextInt(12);
      if (!counts.containsKey(id)) {
        at.create(id, "p" + random.nextInt(3));
        counts.put(id, 0L);
      } else if (random.nextInt(20) == 0) {
        at.store(at.records.removal(id));
        at.records.removed(id);
        counts.remove(id);
        assertThat(at.store.keySet()).noneMatch(name -> name.startsWith("skipped/" + id + "/"));
      } else if (random.nextInt(20) == 0) {
        at.records = at.opened();
      } else {
        skip(id);
      }
    }

    private void skip(String id) {
      List<SkippedChange> added = new ArrayList<>();
      long position = last.getOrDefault(id, 0L);
      for (int i = random.nextInt(130); i >= 0; i--) {
        added.add(change(++position, random.nextInt(900), now++));
      }
      Map<String, Optional<String>> refused = at.records.skip(id, added);
      if (random.nextInt(4) > 0) {
        at.skip(id, added);
        last.put(id, position);
        counts.merge(id, (long) added.size(), Long::sum);
        assertThat(bytesOf(at.store)).isLessThan(2 * BYTES_MAX);
      } else {
        assertThat(at.records.skip(id, added)).as("asking changes nothing").isEqualTo(refused);
      }
    }

    private void require() {
      counts.forEach(
          (id, count) -> {
            Skipped skipped = at.records.skipped(id);
            assertThat(skipped.count()).as(id).isEqualTo(count);
            assertThat(skipped.last()).hasSizeLessThanOrEqualTo(Skipped.LAST_MAX);
            assertThat(skipped.last())
                .isSortedAccordingTo((a, b) -> Long.compare(a.position(), b.position()));
          });
      assertThat(at.heldBytes(counts.keySet())).isLessThan(BYTES_MAX);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void counts_are_exact_and_bytes_bounded_whatever_is_refused_deleted_and_restarted(long seed) {
    World world = new World(this, seed);
    for (int i = 0; i < 400; i++) {
      world.step();
      world.require();
    }
  }
}
