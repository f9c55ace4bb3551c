package io.tunnel.server.channel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.channel.watch.HubCore.Member;
import io.tunnel.server.channel.watch.HubCore.Pass;
import io.tunnel.wire.KeyTerms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Members come, go, have no room and fall behind, while a log grows and loses its beginning. */
final class HubCoreTest {

  private static final int STEPS = 300;
  private static final int CHANGE_BYTES = 10;

  private static final class Follower {
    private final KeyTerms terms;
    private final List<Long> given = new ArrayList<>();
    private final long behind;
    private Member<Follower> member;
    private boolean isLost;

    Follower(KeyTerms terms, long behind) {
      this.terms = terms;
      this.behind = behind;
    }

    /** The last position that it was given, or began behind. */
    long last() {
      return given.isEmpty() ? behind : given.get(given.size() - 1);
    }
  }

  /** A log, and what a hub makes of it. */
  private static final class World {
    private final SplittableRandom random;
    private final TreeMap<Long, Bytes> log = new TreeMap<>();
    private final List<Follower> followers = new ArrayList<>();
    private final HubCore<Follower> hub;
    private long last;
    private long first = 1;
    private boolean hasMemory = true;

    World(long seed) {
      random = new SplittableRandom(seed);
      append(random.nextInt(20));
      hub = new HubCore<>(last);
    }

    private Bytes anyKey() {
      byte[] key = new byte[random.nextInt(4)];
      for (int i = 0; i < key.length; i++) {
        key[i] = (byte) (random.nextInt(3) - 1);
      }
      return Bytes.copyOf(key);
    }

    void append(int count) {
      for (int i = 0; i < count; i++) {
        // Some positions are of no change.
        last += 1 + (random.nextInt(5) == 0 ? random.nextInt(3) : 0);
        log.put(last, anyKey());
      }
    }

    void join() {
      List<Bytes> keys = new ArrayList<>();
      List<Bytes> prefixes = new ArrayList<>();
      do {
        (random.nextBoolean() ? keys : prefixes).add(anyKey());
      } while (random.nextInt(3) == 0);
      long behind = first - 1 + random.nextLong(last - first + 2);
      if (random.nextInt(3) == 0) {
        behind = last;
      }
      Follower follower = new Follower(new KeyTerms(keys, prefixes, false), behind);
      follower.member = hub.join(follower, keys, prefixes, behind);
      followers.add(follower);
    }

    Optional<Follower> any() {
      return followers.isEmpty()
          ? Optional.empty()
          : Optional.of(followers.get(random.nextInt(followers.size())));
    }

    void slice(Pass<Follower> pass) {
      long from = pass.position();
      if (from + 1 < first) {
        hub.lost(pass, first).forEach(member -> lose(member.owner()));
        return;
      }
      int rows = 1 + random.nextInt(6);
      long at = from;
      for (var change : log.tailMap(from, false).entrySet()) {
        if (rows-- == 0) {
          hub.read(pass, at, 1, 1);
          return;
        }
        at = change.getKey();
        match(pass, at, change.getValue().toByteArray());
      }
      hub.read(pass, last, 1, 1);
    }

    private void match(Pass<Follower> pass, long position, byte[] key) {
      hub.match(
          pass,
          position,
          key,
          0,
          key.length,
          member -> {
            if (!hasMemory) {
              return OptionalInt.empty();
            }
            Follower follower = member.owner();
            assertThat(follower.terms.match(key, 0, key.length)).isTrue();
            assertThat(position).isGreaterThan(follower.last());
            follower.given.add(position);
            return OptionalInt.of(CHANGE_BYTES);
          });
    }

    private void lose(Follower follower) {
      follower.isLost = true;
      assertThat(follower.behind).as("behind what is kept").isLessThan(first - 1);
    }

    List<Long> expected(Follower follower) {
      return log.tailMap(follower.behind, false).entrySet().stream()
          .filter(change -> follower.terms.match(change.getValue()))
          .map(change -> change.getKey())
          .toList();
    }

    void requireInOrder() {
      for (Follower follower : followers) {
        List<Long> expected = expected(follower);
        assertThat(follower.given).isEqualTo(expected.subList(0, follower.given.size()));
      }
    }

    void marked(Member<Follower> member, long upTo) {
      List<Long> expected =
          expected(member.owner()).stream().filter(position -> position <= upTo).toList();
      assertThat(member.owner().given)
          .as("all up to the mark at %d", upTo)
          .startsWith(expected.toArray(Long[]::new));
    }

    void requireCounted() {
      long behind =
          followers.stream()
              .filter(one -> one.member.place() != HubCore.Place.LIVE)
              .filter(one -> one.member.place() != HubCore.Place.GONE)
              .count();
      assertThat(hub.behind()).isEqualTo((int) behind);
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> append(1 + random.nextInt(5));
        case 2 -> join();
        case 3, 4 ->
            any().ifPresent(one -> hub.room(one.member, random.nextLong(4) * CHANGE_BYTES));
        case 5, 6, 7 -> slice(hub.live());
        case 8, 9 -> hub.catchUp().ifPresent(this::slice);
        case 10 -> other();
        default -> hub.mark(this::marked);
      }
    }

    private void other() {
      switch (random.nextInt(6)) {
        case 0 ->
            any()
                .ifPresent(
                    one -> {
                      hub.leave(one.member);
                      hub.leave(one.member);
                      followers.remove(one);
                    });
        case 1 -> first = Math.max(first, last - random.nextInt(12));
        case 2, 3 -> hasMemory = !hasMemory;
        default -> hub.retry();
      }
    }

    /** All have room, and the log rests. */
    void finish() {
      hasMemory = true;
      followers.forEach(one -> hub.room(one.member, 1L << 40));
      hub.retry();
      for (int i = 0; i < 3 * STEPS; i++) {
        slice(hub.live());
        hub.catchUp().ifPresent(this::slice);
      }
    }
  }

  private static long[] seeds() {
    return new SplittableRandom(34).longs(200).toArray();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void each_matching_change_is_given_once_and_in_order_and_no_other(long seed) {
    World world = new World(seed);
    for (int i = 0; i < STEPS; i++) {
      world.step();
      world.requireCounted();
    }
    world.requireInOrder();
    world.finish();
    for (Follower follower : world.followers) {
      if (!follower.isLost) {
        assertThat(follower.given).as("seed %d", seed).isEqualTo(world.expected(follower));
      }
    }
    assertThat(world.hub.catchUp()).as("nobody is behind").isEmpty();
  }

  @Test
  void who_is_behind_is_caught_up_by_one_pass_for_all() {
    HubCore<String> hub = new HubCore<>(100);
    List<Bytes> all = List.of(Bytes.EMPTY);
    for (int i = 0; i < 50; i++) {
      hub.room(hub.join("w" + i, List.of(), all, 10 + i), 1 << 20);
    }
    Pass<String> pass = hub.catchUp().orElseThrow();
    assertThat(pass.position()).isEqualTo(10);
    assertThat(pass.size()).isEqualTo(50);
    int[] given = {0};
    for (long position = 11; position <= 100; position++) {
      hub.match(
          pass,
          position,
          new byte[] {1},
          0,
          1,
          member -> {
            given[0]++;
            return OptionalInt.of(1);
          });
    }
    assertThat(given[0]).isEqualTo(50 * 90 - 49 * 50 / 2);
    assertThat(hub.read(pass, 100, 90, 900)).hasSize(50);
    assertThat(hub.catchUp()).isEmpty();
    assertThat(hub.live().size()).isEqualTo(50);
  }

  @Test
  void what_was_read_for_a_watch_that_is_behind_is_counted_from_where_it_came() {
    HubCore<String> hub = new HubCore<>(100);
    List<Bytes> all = List.of(Bytes.EMPTY);
    Member<String> early = hub.join("early", List.of(), all, 10);
    hub.room(early, 1 << 20);
    Pass<String> pass = hub.catchUp().orElseThrow();
    hub.read(pass, 50, 40, 400);
    Member<String> late = hub.join("late", List.of(), all, 60);
    hub.room(late, 1 << 20);
    hub.read(pass, 80, 30, 300);
    assertThat(hub.takeScanned(early)).isEqualTo(new HubCore.Scanned(70, 700));
    assertThat(hub.takeScanned(early)).isEqualTo(HubCore.Scanned.NOTHING);
    assertThat(hub.read(pass, 100, 20, 200))
        .containsExactlyInAnyOrder(
            new HubCore.Joined<>(early, new HubCore.Scanned(20, 200)),
            new HubCore.Joined<>(late, new HubCore.Scanned(50, 500)));
  }
}
