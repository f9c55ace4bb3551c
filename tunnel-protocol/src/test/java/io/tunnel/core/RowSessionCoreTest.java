package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.RowSessionCore.Limits;
import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RowSessionCoreTest {

  private static final Limits LIMITS = new Limits(2_000, 10_000, 3, 20);

  private final RowSessionCore core = new RowSessionCore(LIMITS);

  private static Bytes proof(int number) {
    return Bytes.fromHex(String.format("%08x", number));
  }

  private Session opened(String principal, int proof, long nowMs) {
    Session session = core.open(principal, 2_000, proof(proof), nowMs);
    core.stored(session.id(), nowMs);
    return session;
  }

  private static void requireRefused(ErrorCode code, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }

  @Test
  void rows_of_a_session_are_alive_from_the_stored_record_to_the_stored_removal() {
    Session session = core.open("ada", 2_000, proof(1), 0);
    assertThat(core.alive()).isEmpty();
    core.stored(session.id(), 500);
    assertThat(core.alive()).containsExactly(session.id());
    assertThat(core.tick(2_499)).isEmpty();
    assertThat(core.tick(2_500)).containsExactly(session);
    assertThat(core.alive()).as("the removal is not stored yet").containsExactly(session.id());
    requireRefused(ErrorCode.SESSION_ENDED, () -> core.renew(session.id(), proof(1), 2_501));
    core.removed(session.id());
    assertThat(core.alive()).isEmpty();
    requireRefused(ErrorCode.SESSION_ENDED, () -> core.renew(session.id(), proof(1), 2_502));
    assertThat(opened("ada", 1, 3_000).id()).as("no id comes again").isGreaterThan(session.id());
  }

  @Test
  void a_request_that_comes_again_gets_its_session() {
    Session session = core.open("ada", 2_000, proof(1), 0);
    assertThat(core.open("ada", 2_000, proof(1), 10)).isEqualTo(session);
    assertThat(core.isOpening(session.id())).isTrue();
    core.stored(session.id(), 20);
    assertThat(core.open("ada", 2_000, proof(1), 1_000)).isEqualTo(session);
    assertThat(core.tick(2_999)).as("the lease was renewed").isEmpty();
  }

  @Test
  void nobody_renews_a_session_of_another() {
    Session session = opened("ada", 1, 0);
    requireRefused(ErrorCode.SESSION_ENDED, () -> core.renew(session.id(), proof(2), 10));
  }

  @Test
  void leases_and_sessions_have_limits() {
    requireRefused(ErrorCode.INVALID_REQUEST, () -> core.open("ada", 1_999, proof(1), 0));
    requireRefused(ErrorCode.INVALID_REQUEST, () -> core.open("ada", 10_001, proof(1), 0));
    for (int i = 0; i < 3; i++) {
      opened("ada", i, 0);
    }
    requireRefused(ErrorCode.LIMIT_REACHED, () -> core.open("ada", 2_000, proof(9), 0));
    for (int i = 10; i < 27; i++) {
      opened("", i, 0);
    }
    requireRefused(ErrorCode.LIMIT_REACHED, () -> core.open("eve", 2_000, proof(30), 0));
    core.end(1);
    core.tick(0);
    core.removed(1);
    assertThat(opened("eve", 30, 0).id()).isEqualTo(21);
  }

  @Test
  void ten_principals_that_take_all_they_get_leave_places_to_others() {
    RowSessionCore server = new RowSessionCore(Limits.DEFAULTS);
    int proof = 0;
    for (int greedy = 0; greedy < 10; greedy++) {
      try {
        for (int i = 0; i < 1_001; i++) {
          Session session = server.open("greedy-" + greedy, 2_000, proof(++proof), 0);
          server.stored(session.id(), 0);
        }
        throw new AssertionError("a principal has no limit");
      } catch (RefusedException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
      }
    }
    assertThat(server.alive()).hasSizeLessThan(Limits.DEFAULTS.allMax() * 9 / 10);
    for (int i = 0; i < 100; i++) {
      Session session = server.open("late", 2_000, proof(++proof), 0);
      server.stored(session.id(), 0);
    }
    server.endAll("late");
    assertThat(server.tick(0)).hasSize(100).allMatch(each -> each.principal().equals("late"));
  }

  @Test
  void an_operator_sees_sessions_in_pages() {
    for (int i = 1; i <= 3; i++) {
      opened("ada", i, 0);
    }
    core.end(2);
    var unused = core.open("bob", 2_000, proof(4), 0);
    assertThat(core.page(0, 2, 500))
        .extracting(each -> each.session().id(), RowSessionCore.Shown::leftMs)
        .containsExactly(tuple(1L, 1_500L), tuple(2L, 0L));
    assertThat(core.page(2, 10, 500))
        .as("nobody was told of the fourth yet")
        .extracting(each -> each.session().id())
        .containsExactly(3L);
    assertThat(core.principals()).containsExactlyInAnyOrder("ada", "bob");
  }

  @Test
  void a_removal_that_the_catalog_refused_is_proposed_again() {
    Session session = opened("ada", 1, 0);
    core.end(session.id());
    assertThat(core.tick(10)).containsExactly(session);
    assertThat(core.tick(20)).as("it is under way").isEmpty();
    core.refused(session.id());
    requireRefused(ErrorCode.SESSION_ENDED, () -> core.renew(session.id(), proof(1), 30));
    assertThat(core.tick(40)).containsExactly(session);
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  /** A server whose catalog refuses, whose answers are lost, and which crashes between steps. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_session_ends_once_and_never_while_it_is_renewed(long seed) {
    Random random = new Random(seed);
    World world = new World(random);
    for (int step = 0; step < 400; step++) {
      world.step();
    }
    assertThat(world.ended).isNotEmpty();
  }

  private static final class World {
    private final Random random;
    private final TreeMap<Long, Session> catalog = new TreeMap<>();
    private long storedLastId;
    private RowSessionCore core = new RowSessionCore(LIMITS);
    private long nowMs = 1_000;

    /** What is under way to the catalog, in order. */
    private final List<Runnable> writes = new ArrayList<>();

    /** By id, the last sign of life that was taken, or the start of the server. */
    private final Map<Long, Long> signs = new TreeMap<>();

    private final Set<Long> closed = new HashSet<>();
    private final Set<Long> ended = new HashSet<>();
    private int proofs;

    World(Random random) {
      this.random = random;
    }

    void step() {
      switch (random.nextInt(10)) {
        case 0 -> open();
        case 1, 2, 3 -> renew();
        case 4 -> close();
        case 5 -> tick();
        case 6 -> crash();
        default -> {
          nowMs += random.nextInt(700);
          if (!writes.isEmpty()) {
            writes.remove(0).run();
          }
        }
      }
      Set<Long> alive = core.alive();
      assertThat(alive).as("each record's rows are alive").isEqualTo(Set.copyOf(catalog.keySet()));
      assertThat(alive).as("nobody comes back").noneMatch(ended::contains);
    }

    private void open() {
      try {
        Session session =
            core.open(
                "p" + random.nextInt(3),
                2_000 + random.nextInt(3_000),
                proof(random.nextInt(4) == 0 ? random.nextInt(proofs + 1) : ++proofs),
                nowMs);
        signs.put(session.id(), nowMs);
        if (core.isOpening(session.id()) && !catalog.containsKey(session.id())) {
          assertThat(ended).doesNotContain(session.id());
          writes.add(() -> store(session));
        }
      } catch (RefusedException e) {
        assertThat(e.code()).isIn(ErrorCode.LIMIT_REACHED, ErrorCode.SESSION_ENDED);
      }
    }

    private void store(Session session) {
      if (!core.isOpening(session.id())) {
        return;
      }
      if (random.nextInt(5) == 0) {
        core.refused(session.id());
        return;
      }
      catalog.put(session.id(), session);
      storedLastId = Math.max(storedLastId, session.id());
      core.stored(session.id(), nowMs);
      signs.put(session.id(), nowMs);
    }

    private void renew() {
      for (Session session : List.copyOf(catalog.values())) {
        if (random.nextInt(2) == 0) {
          try {
            core.renew(session.id(), session.proof(), nowMs);
            signs.put(session.id(), nowMs);
          } catch (RefusedException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.SESSION_ENDED);
          }
        }
      }
    }

    private void close() {
      if (!catalog.isEmpty()) {
        long id = catalog.firstKey();
        closed.add(id);
        core.end(id);
      }
    }

    private void tick() {
      for (Session session : core.tick(nowMs)) {
        assertThat(closed.contains(session.id()) || isSilent(session))
            .as("%s ends at %d, and gave its last sign at %s", session, nowMs, signs)
            .isTrue();
        writes.add(() -> remove(session));
      }
    }

    private boolean isSilent(Session session) {
      return nowMs - signs.get(session.id()) >= session.leaseMs();
    }

    private void remove(Session session) {
      if (random.nextInt(5) == 0) {
        core.refused(session.id());
        return;
      }
      catalog.remove(session.id());
      assertThat(ended.add(session.id())).as("%s ends once", session).isTrue();
      core.removed(session.id());
    }

    /** What was under way is lost, or was stored and nobody was told. */
    private void crash() {
      boolean isStored = random.nextBoolean();
      if (isStored && !writes.isEmpty()) {
        writes.remove(0).run();
      }
      writes.clear();
      core = new RowSessionCore(LIMITS);
      core.restore(List.copyOf(catalog.values()), storedLastId, nowMs);
      catalog.keySet().forEach(id -> signs.put(id, nowMs));
    }
  }
}
