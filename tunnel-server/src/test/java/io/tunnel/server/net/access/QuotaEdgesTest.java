package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each count and rate at its edge: what still fits, what does not, and what comes back. */
final class QuotaEdgesTest {

  private static final long SECOND = 1_000_000_000;

  /** A connection that notes how long it was told to wait, and waits for ever. */
  private static final class Patient implements Pace.Port {
    private final List<Long> delays = new ArrayList<>();

    @Override
    public Future<?> schedule(Runnable action, long delay, TimeUnit unit) {
      delays.add(unit.toNanos(delay));
      return new CompletableFuture<Void>();
    }

    @Override
    public void serve() {}

    @Override
    public void deliver() {}
  }

  private final TestGate at;
  private final Shares shares;
  private final Caller ada;

  QuotaEdgesTest() throws IOException {
    at = new TestGate();
    shares = new Shares(at.gate, 100);
    ada = at.caller("ada");
  }

  private void set(String subject, QuotaLimit... limits) throws IOException {
    List<String> all = limits.length == 0 ? List.of(QuotaChange.ALL) : List.of();
    Control done =
        at.administration.setQuota(
            Json.encode(new QuotaChange(subject, List.of(limits), all)), at.caller("admin"));
    assertThat(done).isNotNull();
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private Pace entered(Caller who) {
    Pace pace = new Pace(shares, new Patient());
    pace.entered(who);
    return pace;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void as_many_connections_as_allowed_are_open_at_once_however_often_they_come_and_go(int most)
      throws IOException {
    set("ada", new QuotaLimit("connections", most));
    Deque<Pace> open = new ArrayDeque<>();
    for (int round = 0; round < 3; round++) {
      while (open.size() < most) {
        open.add(entered(ada));
      }
      Pace refused = new Pace(shares, new Patient());
      requireRefused(ErrorCode.LIMIT_REACHED, () -> refused.entered(ada));
      refused.left();
      requireRefused(ErrorCode.LIMIT_REACHED, () -> entered(ada));
      for (int gone = 1; gone <= most; gone++) {
        Pace first = open.remove();
        first.left();
        first.left();
        open.add(entered(ada));
        requireRefused(ErrorCode.LIMIT_REACHED, () -> entered(ada));
      }
      open.forEach(Pace::left);
      open.clear();
    }
    assertThat(shares.uses(at.catalog.holdings(), Map.of()))
        .containsExactly(new QuotaUse("ada", "connections", 0, most));
  }

  @Test
  void each_count_of_a_quota_is_shown_with_its_use() throws IOException {
    set(
        "ada",
        new QuotaLimit("connections", 11),
        new QuotaLimit("sessions", 12),
        new QuotaLimit("tunnels", 13),
        new QuotaLimit("tables", 14),
        new QuotaLimit("partitions", 15));
    Pace unused = entered(ada);
    assertThat(shares.uses(at.catalog.holdings(), Map.of("ada", 3)))
        .containsExactlyInAnyOrder(
            new QuotaUse("ada", "connections", 1, 11),
            new QuotaUse("ada", "sessions", 0, 12),
            new QuotaUse("ada", "tunnels", 3, 13),
            new QuotaUse("ada", "tables", 0, 14),
            new QuotaUse("ada", "partitions", 0, 15));
  }

  @Test
  void quotas_beyond_the_names_are_summed() throws IOException {
    Shares few = new Shares(at.gate, 1);
    for (String name : List.of("ada", "bob", "carl")) {
      set(name, new QuotaLimit("tunnels", 10));
    }
    assertThat(few.uses(at.catalog.holdings(), Map.of("ada", 1, "bob", 2, "carl", 4)))
        .containsExactly(
            new QuotaUse("ada", "tunnels", 1, 10),
            new QuotaUse(PrincipalFigures.OTHERS, "tunnels", 6, 20));
  }

  @Test
  void only_so_many_principals_have_figures_of_their_own() {
    Shares few = new Shares(at.gate, 2);
    for (String name : List.of("ada", "bob", "carl", "dora", "carl", "ada")) {
      few.refused(at.caller(name), ErrorCode.BUSY);
    }
    assertThat(few.figures().all())
        .containsOnlyKeys("ada", "bob", PrincipalFigures.OTHERS)
        .satisfies(
            all -> {
              assertThat(all.get("ada").refusals().get(ErrorCode.BUSY).sum()).isEqualTo(2);
              assertThat(all.get(PrincipalFigures.OTHERS).refusals().get(ErrorCode.BUSY).sum())
                  .isEqualTo(3);
            });
  }

  /** No quota binds an administrator, so a quota for one would only look like a bound. */
  @Test
  void an_administrator_gets_no_limits_and_may_lose_old_ones() throws IOException {
    requireRefused(ErrorCode.INVALID_REQUEST, () -> set("admin", new QuotaLimit("connections", 5)));
    set("admin");
    set("table:admin", new QuotaLimit("sessions", 5));
    set("ada", new QuotaLimit("connections", 5));
  }

  /** Rows and bytes are different debts, and so are all uses. */
  @Test
  void rows_and_bytes_of_each_use_are_owed_apart() throws IOException {
    at.allow("ada", "table:t", "read", "write");
    set(
        "ada",
        new QuotaLimit("readRowsPerSecond", 10),
        new QuotaLimit("readBytesPerSecond", 1_000),
        new QuotaLimit("writtenBytesPerSecond", 1_000));
    assertThat(shares.use(ada, "t", Shares.Use.READ, 20, 0)).isEqualTo(SECOND);
    assertThat(shares.use(ada, "t", Shares.Use.READ, 0, 1_500)).isEqualTo(SECOND);
    assertThat(shares.use(ada, "t", Shares.Use.READ, 0, 1_000)).isEqualTo(SECOND + SECOND / 2);
    assertThat(shares.owedBefore(ada, "t", Shares.Use.READ)).isEqualTo(SECOND + SECOND / 2);
    assertThat(shares.owedBefore(ada, "t", Shares.Use.WRITTEN)).isZero();
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, 99, 1_000)).isZero();
    assertThat(shares.limitsReads(ada, "t")).isTrue();
    assertThat(shares.limitsReads(at.caller("bob"), "t")).isFalse();
    set("ada");
    set("ada", new QuotaLimit("writtenRowsPerSecond", 1));
    assertThat(shares.limitsReads(ada, "t")).as("a quota of writes").isFalse();
    set("table:t", new QuotaLimit("readBytesPerSecond", 1));
    assertThat(shares.limitsReads(at.caller("bob"), "t")).isTrue();
  }

  /** Whoever has no quota any more is forgotten with the debt, and others are not. */
  @Test
  void a_debt_ends_with_its_quota_and_with_no_other() throws IOException {
    for (String name : List.of("ada", "bob")) {
      at.allow(name, "table:t", "read", "write");
      set(name, new QuotaLimit("readRowsPerSecond", 1));
      assertThat(shares.use(at.caller(name), "t", Shares.Use.READ, 5, 0)).isEqualTo(4 * SECOND);
    }
    set("table:t", new QuotaLimit("writtenRowsPerSecond", 1));
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, 3, 0)).isEqualTo(2 * SECOND);
    set("bob");
    set("carl", new QuotaLimit("readRowsPerSecond", 1));
    assertThat(shares.owedBefore(ada, "t", Shares.Use.READ)).isEqualTo(4 * SECOND);
    assertThat(shares.owedBefore(ada, "t", Shares.Use.WRITTEN)).isEqualTo(2 * SECOND);
    set("bob", new QuotaLimit("readRowsPerSecond", 1));
    assertThat(shares.owedBefore(at.caller("bob"), "t", Shares.Use.READ)).isZero();
    set("table:t");
    assertThat(shares.owedBefore(ada, "t", Shares.Use.READ)).isEqualTo(4 * SECOND);
    set("table:t", new QuotaLimit("writtenRowsPerSecond", 1));
    assertThat(shares.owedBefore(ada, "t", Shares.Use.WRITTEN)).isZero();
  }

  /**
   * The wait of a request ends with its patience, and counts what the request has waited before.
   */
  @Test
  void a_request_waits_for_the_rest_of_its_patience_only() throws IOException {
    at.allow("ada", "table:t", "read");
    set("ada", new QuotaLimit("readRowsPerSecond", 1));
    Patient port = new Patient();
    Pace pace = new Pace(shares, port);
    pace.entered(ada);
    Object request = new Object();
    pace.used(ada, "t", Shares.Use.READ, 2, 0);
    assertThat(pace.mayUse(request, "t", Shares.Use.READ)).isFalse();
    pace.used(ada, "t", Shares.Use.READ, 100, 0);
    assertThat(pace.mayUse(request, "t", Shares.Use.READ)).isFalse();
    assertThat(port.delays).containsExactly(SECOND, Pace.WAIT_NANOS_MAX - SECOND);
    requireRefused(ErrorCode.BUSY, () -> pace.mayUse(request, "t", Shares.Use.READ));
  }

  @Test
  void a_rate_that_changes_delays_nothing_that_was_told_and_loses_no_part_of_it() {
    QuotaCore quota = new QuotaCore(3, 0);
    assertThat(quota.take(4, 0)).isEqualTo(333_333_334);
    quota.change(7);
    assertThat(quota.delayNanos(0)).isEqualTo(333_333_334);
    quota.change(3);
    assertThat(quota.delayNanos(0)).as("a second change").isEqualTo(333_333_334);
  }

  /** A debt is cut to half of all time, at the very amounts at which it would be longer. */
  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MAX_VALUE - SECOND})
  void a_debt_of_any_length_is_told_or_cut(long now) {
    long most = Long.MAX_VALUE / 2;
    for (long seconds : new long[] {1_000, most / SECOND - 5, most / SECOND - 3}) {
      QuotaCore quota = new QuotaCore(1, now);
      assertThat(quota.take(seconds, now)).isEqualTo((seconds - 1) * SECOND);
      assertThat(quota.take(1, now)).isEqualTo(seconds * SECOND);
    }
    for (long seconds : new long[] {most / SECOND, most / SECOND + 1, Long.MAX_VALUE}) {
      assertThat(new QuotaCore(1, now).take(seconds, now)).isEqualTo(most - SECOND);
    }
    QuotaCore twice = new QuotaCore(1, now);
    assertThat(twice.take(most / SECOND - 100, now)).isPositive();
    assertThat(twice.take(200, now)).isEqualTo(most - SECOND);
  }

  /** What a connection notes comes back as it goes, one by one or all at once. */
  @Test
  void a_budget_has_as_many_places_after_a_thousand_connections_as_before() {
    FreeShare budget = new FreeShare(HeldRights.RIGHTS_MAX);
    int first = fill(budget, "bob");
    for (int round = 0; round < 5; round++) {
      budget.leave("bob", 1);
      assertThat(fill(budget, "bob")).isEqualTo(1);
      budget.leave("bob", first);
      budget.leave("bob", 0);
      assertThat(fill(budget, "bob")).isEqualTo(first);
    }
    budget.leave("bob", first);
    assertThat(fill(budget, "eve")).isEqualTo(first);
  }

  private static int fill(FreeShare budget, String principal) {
    int taken = 0;
    while (budget.take(principal, 1)) {
      taken++;
    }
    return taken;
  }

  @Test
  void a_right_that_is_refused_takes_no_place() throws IOException {
    HeldRights held = new HeldRights(shares);
    for (int i = 0; i < HeldRights.RIGHTS_MAX / 6 + 10; i++) {
      int table = i;
      requireRefused(
          ErrorCode.TABLE_NOT_FOUND,
          () -> held.begin(ada, Right.READ, "t" + table, Optional.empty()));
    }
    at.allow("ada", "table:*", "read");
    for (int i = 0; i < HeldRights.HELD_MAX; i++) {
      held.begin(ada, Right.READ, "t" + i, Optional.empty());
    }
  }
}
