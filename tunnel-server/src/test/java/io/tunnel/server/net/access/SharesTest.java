package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot.SubjectQuota;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharesTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final SecurityRecords records =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
  private final Gate gate =
      Gate.closed(
          new Gate.Guard(
              MasterKey.of(Bytes.copyOf(new byte[32]), bytes -> Bytes.copyOf(new byte[bytes])),
              new OneAdministrator(),
              records::snapshot,
              bytes -> Bytes.copyOf(new byte[bytes]),
              () -> this.nowNanos,
              () -> 0));
  private final Shares shares = new Shares(gate, 2);
  private final Caller ada = gate.caller(Principal.ofKey("ada"), Optional.empty());
  private final Caller bob = gate.caller(Principal.ofKey("bob"), Optional.empty());
  private long nowNanos;

  private static final class OneAdministrator implements Gate.Administrators {
    @Override
    public Optional<AccessKey> key(String id) {
      return Optional.empty();
    }

    @Override
    public Set<Principal> principals() {
      return Set.of(Principal.ofKey("root"));
    }
  }

  SharesTest() {
    allow("ada", "table:*");
    allow("bob", "table:*");
  }

  private void allow(String principal, String tables) {
    records.apply(records.noting(Permission.of(principal, true, List.of("read", "write"), tables)));
  }

  private void quota(String subject, QuotaLimit... limits) {
    records.apply(
        limits.length == 0
            ? SecurityRecords.removalOfQuota(subject)
            : records.noting(new SubjectQuota(subject, QuotaLimits.quota(List.of(limits)))));
  }

  @Test
  void who_has_no_quota_is_never_slowed_down() {
    assertThat(shares.request(ada)).isZero();
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, Long.MAX_VALUE / 4, 1L << 60)).isZero();
    Shares open = new Shares(Gate.open(), 2);
    assertThat(open.request(Caller.anybody())).isZero();
    assertThat(open.use(Caller.anybody(), "t", Shares.Use.READ, 1L << 40, 1L << 40)).isZero();
  }

  @Test
  void beyond_a_second_of_a_rate_its_taker_waits_until_it_is_paid() {
    quota("ada", new QuotaLimit("writtenRowsPerSecond", 100));
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, 100, 0)).isZero();
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, 50, 0)).isEqualTo(SECOND / 2);
    assertThat(shares.use(ada, "t", Shares.Use.READ, 5_000, 0)).as("of another use").isZero();
    assertThat(shares.use(bob, "t", Shares.Use.WRITTEN, 5_000, 0)).as("somebody else").isZero();
    nowNanos += 2 * SECOND;
    assertThat(shares.use(ada, "t", Shares.Use.WRITTEN, 50, 0)).isZero();
  }

  /** Else the only ones who could lift a quota would be locked out by it. */
  @Test
  void no_quota_binds_a_fixed_administrator() {
    Caller root = gate.caller(Principal.ofKey("root"), Optional.empty());
    quota("root", new QuotaLimit("connections", 0), new QuotaLimit("requestsPerSecond", 1));
    quota("table:t", new QuotaLimit("writtenRowsPerSecond", 1));
    shares.enter(root);
    assertThat(shares.request(root)).isZero();
    assertThat(shares.request(root)).isZero();
    assertThat(shares.owedBeforeRequests(root)).isZero();
    assertThat(shares.use(root, "t", Shares.Use.WRITTEN, 3, 0)).isZero();
    assertThat(shares.use(bob, "t", Shares.Use.WRITTEN, 1, 0))
        .as("what it takes of a table counts for the others")
        .isEqualTo(3 * SECOND);
  }

  @Test
  void a_tables_quota_is_that_of_all_who_use_it_and_the_longer_wait_counts() {
    quota("table:t", new QuotaLimit("deliveredBytesPerSecond", 1_000));
    quota("ada", new QuotaLimit("deliveredBytesPerSecond", 4_000));
    assertThat(shares.use(bob, "t", Shares.Use.DELIVERED, 1, 1_000)).isZero();
    assertThat(shares.use(ada, "t", Shares.Use.DELIVERED, 1, 1_000)).isEqualTo(SECOND);
    assertThat(shares.use(ada, "other", Shares.Use.DELIVERED, 1, 5_000)).isEqualTo(SECOND / 2);
  }

  @Test
  void a_quota_that_is_changed_or_ended_counts_at_once() {
    quota("ada", new QuotaLimit("requestsPerSecond", 1));
    assertThat(shares.request(ada)).isZero();
    assertThat(shares.request(ada)).isEqualTo(SECOND);
    quota("ada");
    assertThat(shares.request(ada)).isZero();
    quota("ada", new QuotaLimit("requestsPerSecond", 1_000));
    nowNanos += 2 * SECOND;
    assertThat(shares.request(ada)).as("the former debt is paid").isZero();
  }

  @Test
  void one_connection_too_many_is_refused_and_its_place_is_free_when_another_ends() {
    quota("ada", new QuotaLimit("connections", 2));
    shares.enter(ada);
    shares.enter(ada);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> shares.enter(ada))
        .withMessageContaining("connections=2")
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT_REACHED));
    shares.enter(bob);
    shares.leave(ada);
    shares.enter(ada);
  }

  /** A connection whose event loop is a queue by time. */
  private final class FakeConnection implements Pace.Port {
    private record Task(long atNanos, int order, FutureTask<?> action) {}

    private final PriorityQueue<Task> tasks =
        new PriorityQueue<>(
            (a, b) ->
                a.atNanos() == b.atNanos()
                    ? Integer.compare(a.order(), b.order())
                    : Long.compare(a.atNanos(), b.atNanos()));
    private final List<String> told = new ArrayList<>();
    private int scheduled;

    @Override
    public Future<?> schedule(Runnable action, long delay, TimeUnit unit) {
      FutureTask<?> future = new FutureTask<>(action, null);
      tasks.add(new Task(nowNanos + unit.toNanos(delay), scheduled++, future));
      return future;
    }

    @Override
    public void serve() {
      told.add("serve");
    }

    @Override
    public void deliver() {
      told.add("deliver");
    }

    void passUntil(long untilNanos) {
      while (!tasks.isEmpty() && tasks.peek().atNanos() <= untilNanos) {
        Task next = tasks.remove();
        nowNanos = next.atNanos();
        next.action().run();
      }
      nowNanos = untilNanos;
    }
  }

  @Test
  void requests_wait_for_what_was_written_and_deliveries_for_what_was_delivered() {
    quota(
        "ada",
        new QuotaLimit("writtenRowsPerSecond", 10),
        new QuotaLimit("deliveredRowsPerSecond", 10));
    FakeConnection connection = new FakeConnection();
    Pace pace = new Pace(shares, connection);
    pace.entered(ada);
    pace.used(ada, "t", Shares.Use.WRITTEN, 30, 0);
    assertThat(pace.mayServe()).as("a heartbeat").isTrue();
    assertThat(mayUse(pace, "t", Shares.Use.WRITTEN)).isFalse();
    assertThat(pace.mayServe()).as("what is behind a write").isFalse();
    assertThat(pace.mayDeliver()).isTrue();
    pace.delivered("t", 15, 0);
    assertThat(pace.mayDeliver()).isFalse();
    connection.passUntil(SECOND / 2);
    assertThat(connection.told).containsExactly("deliver");
    assertThat(pace.mayDeliver()).isTrue();
    assertThat(pace.mayServe()).isFalse();
    connection.passUntil(2 * SECOND);
    assertThat(connection.told).containsExactly("deliver", "serve");
    assertThat(pace.mayServe()).isTrue();
    assertThat(mayUse(pace, "t", Shares.Use.WRITTEN)).isTrue();
  }

  @Test
  void over_a_long_time_as_much_passes_as_the_rate_says() {
    quota("ada", new QuotaLimit("requestsPerSecond", 50));
    FakeConnection connection = new FakeConnection();
    Pace pace = new Pace(shares, connection);
    pace.entered(ada);
    int served = 0;
    while (nowNanos < 20 * SECOND) {
      if (pace.mayServe()) {
        pace.requested();
        served++;
      } else {
        connection.passUntil(nowNanos + SECOND / 100);
      }
    }
    assertThat(served).isBetween(20 * 50, 21 * 50 + 1);
  }

  @Test
  void who_connects_again_for_each_request_is_served_as_much_as_who_stays() {
    quota("ada", new QuotaLimit("requestsPerSecond", 1));
    int served = 0;
    while (nowNanos < 20 * SECOND && served < 100) {
      FakeConnection connection = new FakeConnection();
      Pace pace = new Pace(shares, connection);
      pace.entered(ada);
      while (!pace.mayServe()) {
        connection.passUntil(nowNanos + SECOND / 10);
      }
      pace.requested();
      served++;
      pace.left();
    }
    assertThat(served).isBetween(20, 22);
  }

  @Test
  void a_new_connection_waits_for_what_its_principal_owes_of_the_same_kind() {
    quota(
        "ada",
        new QuotaLimit("readBytesPerSecond", 10),
        new QuotaLimit("deliveredRowsPerSecond", 10));
    Pace former = entered(new FakeConnection());
    former.delivered("t", 15, 0);
    FakeConnection second = new FakeConnection();
    Pace consuming = entered(second);
    assertThat(consuming.mayServe()).isTrue();
    assertThat(consuming.mayDeliver()).isFalse();
    second.passUntil(SECOND / 2);
    assertThat(second.told).containsExactly("deliver");
    former.used(ada, "t", Shares.Use.READ, 1, 30);
    Pace reading = entered(new FakeConnection());
    assertThat(mayUse(reading, "t", Shares.Use.READ)).isFalse();
    assertThat(reading.mayDeliver()).isTrue();
    quota("ada", new QuotaLimit("deliveredRowsPerSecond", 10));
    assertThat(mayUse(entered(new FakeConnection()), "t", Shares.Use.READ))
        .as("there is no such limit")
        .isTrue();
    assertThat(shares.owedBeforeRequests(bob)).isZero();
  }

  @Test
  void rows_wait_for_what_the_principal_owes_on_other_connections_and_heartbeats_do_not() {
    quota(
        "ada",
        new QuotaLimit("readBytesPerSecond", 10),
        new QuotaLimit("writtenRowsPerSecond", 10));
    FakeConnection quiet = new FakeConnection();
    Pace idle = entered(quiet);
    entered(new FakeConnection()).used(ada, "t", Shares.Use.READ, 1, 30);
    assertThat(idle.mayServe()).as("a heartbeat").isTrue();
    assertThat(mayUse(idle, "t", Shares.Use.READ)).isFalse();
    assertThat(idle.mayServe()).as("what is behind a request for rows").isFalse();
    quiet.passUntil(2 * SECOND);
    assertThat(quiet.told).containsExactly("serve");
    assertThat(mayUse(idle, "t", Shares.Use.READ)).isTrue();
    Pace writing = entered(new FakeConnection());
    idle.used(ada, "t", Shares.Use.READ, 1, 30);
    assertThat(mayUse(writing, "t", Shares.Use.WRITTEN)).as("what was read").isTrue();
    assertThatExceptionOfType(RefusedException.class)
        .as("a write that reads, too")
        .isThrownBy(() -> writing.requireReads("t"))
        .withMessageContaining("bytes read is used up for 3 s");
    idle.used(ada, "t", Shares.Use.WRITTEN, 30, 30);
    assertThat(mayUse(entered(new FakeConnection(), bob), "t", Shares.Use.WRITTEN))
        .as("somebody else")
        .isTrue();
    assertThat(mayUse(writing, "t", Shares.Use.WRITTEN)).isFalse();
  }

  @Test
  void a_request_for_rows_waits_for_two_seconds_and_is_then_refused_with_the_time_that_is_left() {
    quota("ada", new QuotaLimit("readBytesPerSecond", 10));
    FakeConnection port = new FakeConnection();
    Pace pace = entered(port);
    pace.used(ada, "t", Shares.Use.READ, 1, 1_000);
    Object request = new Object();
    assertThat(pace.mayUse(request, "t", Shares.Use.READ)).isFalse();
    port.passUntil(2 * SECOND);
    assertThat(port.told).containsExactly("serve");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> pace.mayUse(request, "t", Shares.Use.READ))
        .withMessageContaining("'ada'")
        .withMessageContaining("used up for 97 s")
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY));
    assertThat(mayUse(pace, "t", Shares.Use.READ)).as("the next one waits, too").isFalse();
    port.passUntil(100 * SECOND);
    assertThat(pace.mayUse(request, "t", Shares.Use.READ)).isTrue();
  }

  private static boolean mayUse(Pace pace, String table, Shares.Use use) {
    return pace.mayUse(new Object(), table, use);
  }

  @Test
  void reads_wait_for_what_is_owed_for_their_table() {
    quota("table:t", new QuotaLimit("readRowsPerSecond", 10));
    Pace idle = entered(new FakeConnection());
    entered(new FakeConnection(), bob).used(bob, "t", Shares.Use.READ, 30, 30);
    assertThat(mayUse(idle, "other", Shares.Use.READ)).isTrue();
    assertThat(mayUse(idle, "t", Shares.Use.WRITTEN)).isTrue();
    assertThat(idle.readsOneByOne("t")).isTrue();
    assertThat(idle.readsOneByOne("other")).isFalse();
    assertThat(mayUse(idle, "t", Shares.Use.READ)).isFalse();
    Caller eve = gate.caller(Principal.ofKey("eve"), Optional.empty());
    assertThat(mayUse(entered(new FakeConnection(), eve), "t", Shares.Use.READ))
        .as("who may not read it is told so, and not what others have read")
        .isTrue();
    Caller root = gate.caller(Principal.ofKey("root"), Optional.empty());
    Pace ofRoot = entered(new FakeConnection(), root);
    assertThat(mayUse(ofRoot, "t", Shares.Use.READ)).as("an administrator").isTrue();
    assertThat(ofRoot.readsOneByOne("t")).isFalse();
  }

  @Test
  void connections_that_were_open_before_read_no_more_than_the_rate_and_an_answer_each() {
    int connections = 20;
    int answer = 1_000;
    quota("ada", new QuotaLimit("readBytesPerSecond", 500));
    List<FakeConnection> ports = new ArrayList<>();
    List<Pace> paces = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      ports.add(new FakeConnection());
      paces.add(entered(ports.get(i)));
    }
    long bytes = 0;
    for (int second = 0; second < 200; second++) {
      List<Pace> begun =
          paces.stream()
              .filter(pace -> pace.mayServe() && mayUse(pace, "t", Shares.Use.READ))
              .toList();
      // All are answered after all have begun.
      begun.forEach(pace -> pace.read(ada, "t", new RowPage.Looked(1, answer), answer));
      bytes += (long) begun.size() * answer;
      long now = nowNanos;
      for (FakeConnection port : ports) {
        nowNanos = now;
        port.passUntil(now + SECOND);
      }
    }
    assertThat(bytes).isBetween(200L * 500, 201L * 500 + (long) connections * answer);
  }

  @Test
  void a_read_is_charged_by_what_was_looked_at_and_not_by_what_was_answered() {
    quota(
        "ada",
        new QuotaLimit("readRowsPerSecond", 1_000),
        new QuotaLimit("readBytesPerSecond", 100_000));
    FakeConnection rows = new FakeConnection();
    Pace pace = entered(rows);
    // An empty answer of 60 bytes, for 5,000 rows that a condition does not hold of.
    pace.read(ada, "t", new RowPage.Looked(5_000, 50_000), 60);
    assertThat(mayUse(pace, "t", Shares.Use.READ)).isFalse();
    rows.passUntil(4 * SECOND);
    assertThat(mayUse(pace, "t", Shares.Use.READ)).as("a second's worth is free").isTrue();
    rows.passUntil(10 * SECOND);
    pace.read(ada, "t", new RowPage.Looked(1, 300_000), 60);
    assertThat(mayUse(pace, "t", Shares.Use.READ)).as("bytes that were looked at").isFalse();
    rows.passUntil(20 * SECOND);
    pace.read(ada, "t", new RowPage.Looked(1, 60), 300_000);
    assertThat(mayUse(pace, "t", Shares.Use.READ)).as("an answer that is larger").isFalse();
  }

  private Pace entered(FakeConnection connection) {
    return entered(connection, ada);
  }

  private Pace entered(FakeConnection connection, Caller who) {
    Pace pace = new Pace(shares, connection);
    pace.entered(who);
    return pace;
  }

  @Test
  void no_pause_holds_a_connection_that_is_gone() {
    quota(
        "ada",
        new QuotaLimit("writtenRowsPerSecond", 10),
        new QuotaLimit("deliveredRowsPerSecond", 10));
    FakeConnection connection = new FakeConnection();
    Pace pace = entered(connection);
    pace.used(ada, "t", Shares.Use.WRITTEN, 1_000_000, 0);
    assertThat(mayUse(pace, "t", Shares.Use.WRITTEN)).isFalse();
    pace.delivered("t", 1_000_000, 0);
    pace.left();
    assertThat(connection.tasks).hasSize(2).allMatch(task -> task.action().isCancelled());
    assertThat(mayUse(pace, "t", Shares.Use.WRITTEN)).isFalse();
    assertThat(connection.tasks).as("what ends behind it").hasSize(2);
  }

  @Test
  void refusals_and_slow_downs_are_counted_for_the_first_principals_and_the_rest_together() {
    quota("ada", new QuotaLimit("requestsPerSecond", 1));
    assertThat(shares.request(ada)).isZero();
    assertThat(shares.request(ada)).isEqualTo(SECOND);
    shares.refused(bob, ErrorCode.NOT_PERMITTED);
    shares.refused(Caller.anybody(), ErrorCode.NOT_PERMITTED);
    for (String name : List.of("carl", "dora")) {
      shares.refused(gate.caller(Principal.ofKey(name), Optional.empty()), ErrorCode.BUSY);
    }
    Map<String, PrincipalFigures.Figures> all = shares.figures().all();
    assertThat(all).containsOnlyKeys("ada", "bob", PrincipalFigures.OTHERS);
    assertThat(all.get("ada").slowed().sum()).isEqualTo(1);
    assertThat(all.get("ada").slowedNanos().sum()).isEqualTo(SECOND);
    assertThat(all.get("bob").refusals().get(ErrorCode.NOT_PERMITTED).sum()).isEqualTo(1);
    assertThat(all.get(PrincipalFigures.OTHERS).refusals().get(ErrorCode.BUSY).sum()).isEqualTo(2);
  }

  @Test
  void what_quotas_count_is_said_of_the_first_principals_and_of_the_rest_together() {
    quota("ada", new QuotaLimit("connections", 3), new QuotaLimit("tunnels", 5));
    quota("bob", new QuotaLimit("connections", 4));
    quota("carl", new QuotaLimit("connections", 5));
    quota("dora", new QuotaLimit("connections", 6));
    quota("table:orders", new QuotaLimit("tunnels", 7));
    shares.enter(ada);
    assertThat(shares.uses(new Catalog().holdings(), Map.of("ada", 2)))
        .containsExactly(
            new QuotaUse("ada", "connections", 1, 3),
            new QuotaUse("ada", "tunnels", 2, 5),
            new QuotaUse("bob", "connections", 0, 4),
            new QuotaUse(PrincipalFigures.OTHERS, "connections", 0, 11));
    assertThat(new Shares(Gate.open(), 2).uses(new Catalog().holdings(), Map.of())).isEmpty();
  }
}
