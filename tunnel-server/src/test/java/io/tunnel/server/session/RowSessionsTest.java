package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.RowSessionControl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RowSessionsTest {

  private static final String ADA = "ada";

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private RowSessionRecords records;
  private RowSessions sessions;
  private long nowMs;
  private long left;
  private int unbound;
  private int closed;
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean isBusy;

  private final class Counted implements RowSessions.Rows {
    @Override
    public void unbind() {
      unbound++;
    }

    @Override
    public CompletableFuture<Map<Long, Long>> left(Set<Long> asked) {
      Map<Long, Long> counted = new TreeMap<>();
      asked.forEach(session -> counted.put(session, left));
      return CompletableFuture.completedFuture(counted);
    }
  }

  @BeforeEach
  void start() throws IOException {
    records = new TunnelCatalog(new Catalog(store)).rowSessions();
    sessions =
        new RowSessions(
            records,
            new Counted(),
            () -> TimeUnit.MILLISECONDS.toNanos(nowMs),
            task -> {
              waiting.add(task);
              runWaiting();
            });
  }

  /** Runs what waits for the control thread, unless the thread is busy with other requests. */
  private void runWaiting() {
    while (!isBusy && !waiting.isEmpty()) {
      waiting.remove(0).run();
    }
  }

  private static Bytes secret(int number) {
    byte[] secret = new byte[SessionProof.SECRET_BYTES];
    secret[0] = (byte) number;
    return Bytes.copyOf(secret);
  }

  private CompletableFuture<Long> ask(int secret) {
    return sessions.open(new RowSessionControl.Open(2_000, secret(secret)), ADA);
  }

  private long open(int secret) {
    return ask(secret).join();
  }

  private static RowSessionControl.Named named(long id, int secret) {
    return new RowSessionControl.Named(id, secret(secret));
  }

  /** The principals that have keys and rights; a version of these rights. */
  private static final class Known implements RowSessions.Owners {
    private final Set<String> names = new HashSet<>();
    private int version;
    private int asked;

    @Override
    public Object mark() {
      return version;
    }

    @Override
    public boolean mayKeep(String principal) {
      asked++;
      return names.contains(principal);
    }
  }

  @Test
  void sessions_end_soon_after_the_withdrawal_of_their_owners_keys_or_rights() {
    Known known = new Known();
    known.names.addAll(Set.of(ADA, "bob"));
    sessions.ownedBy(known);
    long ofAda = open(1);
    long ofBob = sessions.open(new RowSessionControl.Open(2_000, secret(2)), "bob").join();
    long ofNobody = sessions.open(new RowSessionControl.Open(2_000, secret(3)), "").join();
    sessions.tick();
    assertThat(records.has(ofAda)).isTrue();
    known.asked = 0;
    sessions.tick();
    assertThat(known.asked).as("nothing has changed").isZero();
    known.names.remove("bob");
    known.version++;
    sessions.tick();
    assertThat(records.has(ofBob)).isFalse();
    assertThat(records.has(ofAda)).isTrue();
    assertThat(records.has(ofNobody)).isTrue();
    requireEnded(() -> sessions.renew(named(ofBob, 2), "bob"));
  }

  @Test
  void rights_of_many_principals_are_looked_at_over_many_ticks() {
    Known known = new Known();
    for (int i = 0; i < 100; i++) {
      String name = "p" + i;
      known.names.add(name);
      sessions.open(new RowSessionControl.Open(3_600_000, secret(i)), name).join();
    }
    sessions.ownedBy(known);
    for (int before = -1; known.asked > before; ) {
      before = known.asked;
      sessions.tick();
      assertThat(known.asked - before).isLessThanOrEqualTo(4);
    }
    assertThat(known.asked).as("each once").isEqualTo(100);
  }

  @Test
  void an_operator_lists_and_ends_sessions_of_all_principals() {
    long ofAda = open(1);
    long ofBob = sessions.open(new RowSessionControl.Open(4_000, secret(2)), "bob").join();
    nowMs = 500;
    left = 7;
    assertThat(sessions.page(0).join().sessions())
        .containsExactly(
            new RowSessionControl.SessionInfo(ofAda, ADA, 2_000, 1_500, 7),
            new RowSessionControl.SessionInfo(ofBob, "bob", 4_000, 3_500, 7));
    assertThat(sessions.page(ofAda).join().sessions()).hasSize(1);
    sessions.endByOperator(ofBob, () -> closed++);
    assertThat(records.has(ofBob)).isFalse();
    assertThat(closed).as("rows are left").isZero();
    left = 0;
    sessions.tick();
    assertThat(closed).isEqualTo(1);
    sessions.endByOperator(ofBob, () -> closed++);
    assertThat(closed).as("it has ended before").isEqualTo(2);
    assertThat(records.has(ofAda)).isTrue();
  }

  private static void requireEnded(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.SESSION_ENDED));
  }

  @Test
  void a_session_that_is_not_renewed_ends_when_its_end_is_stored() throws IOException {
    long id = open(1);
    nowMs = 1_999;
    sessions.renew(named(id, 1), ADA);
    nowMs = 3_998;
    sessions.tick();
    assertThat(records.has(id)).isTrue();
    store.fail(true);
    nowMs = 3_999;
    sessions.tick();
    assertThat(records.has(id)).as("the end is not stored").isTrue();
    requireEnded(() -> sessions.renew(named(id, 1), ADA));
    store.fail(false);
    sessions.tick();
    assertThat(records.has(id)).isFalse();
    assertThat(sessions.count()).isZero();
    assertThat(unbound).isPositive();
  }

  @Test
  void a_session_that_cannot_be_stored_does_not_exist() throws IOException {
    store.fail(true);
    assertThatThrownBy(() -> open(1)).hasCauseInstanceOf(IOException.class);
    assertThat(sessions.count()).isZero();
    store.fail(false);
    long id = open(1);
    assertThat(open(1)).as("the same secret").isEqualTo(id);
    assertThat(sessions.count()).isEqualTo(1);
  }

  @Test
  void a_close_is_answered_when_no_row_is_left() throws IOException {
    long id = open(1);
    left = 3;
    sessions.close(named(id, 2), ADA, () -> closed++);
    assertThat(records.has(id)).as("another secret closes nothing").isTrue();
    sessions.close(named(id, 1), "bob", () -> closed++);
    assertThat(records.has(id)).as("another principal closes nothing").isTrue();
    assertThat(closed).as("nobody waits for the end of another's session").isEqualTo(2);
    sessions.close(named(id, 1), ADA, () -> closed++);
    assertThat(records.has(id)).isFalse();
    assertThat(closed).isEqualTo(2);
    left = 0;
    sessions.tick();
    assertThat(closed).isEqualTo(3);
    requireEnded(() -> sessions.require(new SessionProof(id, secret(1)), ADA));
  }

  @Test
  void sessions_that_open_and_close_at_once_share_a_write_of_the_catalog() {
    int before = store.writes();
    isBusy = true;
    List<CompletableFuture<Long>> asked = IntStream.range(0, 100).mapToObj(this::ask).toList();
    CompletableFuture<Long> again = ask(7);
    assertThat(asked).as("no session is stored yet").noneMatch(CompletableFuture::isDone);
    sessions.close(named(1, 0), ADA, () -> closed++);
    assertThat(closed).as("nobody was told of the session that is opening").isEqualTo(1);
    assertThat(waiting).hasSize(1);
    isBusy = false;
    runWaiting();
    List<Long> ids = asked.stream().map(CompletableFuture::join).toList();
    assertThat(ids).doesNotHaveDuplicates().contains(again.join());
    assertThat(sessions.count()).isEqualTo(100);
    assertThat(store.writes()).isEqualTo(before + 1);

    isBusy = true;
    for (int i = 0; i < 100; i++) {
      sessions.close(named(ids.get(i), i), ADA, () -> closed++);
    }
    assertThat(closed).isEqualTo(1);
    assertThat(waiting).hasSize(1);
    isBusy = false;
    runWaiting();
    assertThat(closed).isEqualTo(101);
    assertThat(sessions.count()).isZero();
    assertThat(store.writes()).isEqualTo(before + 2);
  }

  @Test
  void sessions_that_cannot_be_stored_together_are_all_refused() {
    isBusy = true;
    store.fail(true);
    List<CompletableFuture<Long>> asked = List.of(ask(1), ask(2), ask(1));
    isBusy = false;
    runWaiting();
    assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(sessions.count()).isZero();
    store.fail(false);
    assertThat(open(1)).isPositive();
  }

  @Test
  void leases_begin_anew_after_a_restart_and_no_id_is_given_again() throws IOException {
    long first = open(1);
    long second = open(2);
    sessions.close(named(second, 2), ADA, () -> closed++);
    nowMs = 1_500;
    start();
    nowMs = 3_000;
    sessions.tick();
    assertThat(records.has(first)).isTrue();
    sessions.renew(named(first, 1), ADA);
    sessions.require(new SessionProof(first, secret(1)), ADA);
    requireEnded(() -> sessions.require(new SessionProof(first, secret(1)), "bob"));
    requireEnded(() -> sessions.renew(named(second, 2), ADA));
    assertThat(open(3)).isGreaterThan(second);
    nowMs = 5_000;
    sessions.tick();
    assertThat(sessions.count()).isZero();
  }

  /** Waits for a close. */
  private static final class Waiter implements RowSessions.Ended {
    private final List<String> told = new ArrayList<>();

    @Override
    public void ended() {
      told.add("ended");
    }

    @Override
    public void refused(RefusedException reason) {
      told.add(reason.code().name());
    }
  }

  @Test
  void a_close_whose_rows_stay_is_busy_after_ten_seconds_and_may_come_again() {
    long id = open(1);
    left = 1;
    Waiter waiter = new Waiter();
    sessions.close(named(id, 1), ADA, waiter);
    nowMs = 9_999;
    sessions.tick();
    assertThat(waiter.told).isEmpty();
    nowMs = 10_000;
    sessions.tick();
    assertThat(waiter.told).containsExactly("BUSY");
    sessions.close(named(id, 1), ADA, waiter);
    left = 0;
    sessions.tick();
    assertThat(waiter.told).containsExactly("BUSY", "ended");
  }

  @Test
  void who_waits_is_refused_when_another_node_leads_the_catalog() {
    long id = open(1);
    left = 1;
    Waiter waiter = new Waiter();
    sessions.close(named(id, 1), ADA, waiter);
    isBusy = true;
    CompletableFuture<Long> opening = ask(2);
    sessions.resign();
    assertThat(waiter.told).containsExactly("NOT_LEADER");
    assertThat(opening).isCompletedExceptionally();
  }

  @Test
  void a_session_that_is_stored_late_has_a_lease() throws IOException {
    Catalog catalog = new Catalog(store);
    records = catalog.rowSessions();
    sessions = new RowSessions(records, new Counted(), () -> nowMs * 1_000_000, Runnable::run);
    store.loseWord();
    assertThatThrownBy(() -> open(1)).hasCauseInstanceOf(IOException.class);
    assertThat(records.has(1)).isFalse();
    store.know();
    catalog.applied(store.lastWrite());
    sessions.adoptStored();
    assertThat(open(1)).as("the same secret").isEqualTo(1);
    nowMs = 1_999;
    sessions.tick();
    assertThat(records.has(1)).isTrue();
    nowMs = 2_000;
    sessions.tick();
    assertThat(records.has(1)).isFalse();
  }
}
