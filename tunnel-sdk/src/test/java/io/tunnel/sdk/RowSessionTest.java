package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.RowSession.End;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowSessionTest {

  private static final PrimaryKey LOCK = PrimaryKey.builder().add("id", 1).build();

  private long nowNanos = Long.MAX_VALUE - 5;

  @Test
  void a_session_is_over_for_its_program_as_soon_as_the_clock_says_so() {
    Duration lease = Duration.ofSeconds(2);
    SessionProof proof = new SessionProof(7, Bytes.copyOf(new byte[16]));
    // Nothing of the event loop runs, as in a process that was stopped and goes on now.
    RowSession session =
        new RowSession(
            new RowSession.Wiring(null, null, () -> nowNanos, bound -> null, engine -> {}),
            proof,
            lease,
            nowNanos);
    nowNanos += lease.toNanos() - 1;
    assertThat(session.isOpen()).isTrue();
    assertThat(session.ended()).isNotDone();
    nowNanos++;
    assertThat(session.isOpen()).isFalse();
    assertThat(session.ended().join()).isEqualTo(End.LOST);
    nowNanos -= 1_000;
    assertThat(session.isOpen()).as("for good").isFalse();
    List<Column> columns = List.of();
    assertThatThrownBy(() -> session.tryLock("t", LOCK, columns))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.SESSION_ENDED));
  }

  /**
   * The server counts a lease from a request at the latest, so a program that counts the lease from
   * the answer believes in its rows for longer than they are there.
   */
  @ParameterizedTest(name = "the answer to renewal {0}, where 0 opens the session")
  @ValueSource(ints = {0, 1, 2})
  void a_lease_counts_from_the_request_however_late_the_answer_comes(int late) throws Exception {
    Duration lease = Duration.ofMillis(600);
    long lateNanos = lease.toNanos() / 2;
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    AtomicLong asked = new AtomicLong();
    AtomicInteger renewals = new AtomicInteger();
    CountDownLatch afterLate = new CountDownLatch(1);
    try (FakeServer server = new FakeServer();
        Nodes nodes = new Nodes(LoadedConfig.of(server.config()), ClientPort.real())) {
      server.on(
          Operation.OPEN_ROW_SESSION,
          (connection, frame) -> {
            if (late == 0) {
              asked.set(now.getAndAdd(lateNanos));
            }
            connection.answer(frame, Json.encode(new RowSessionControl.Opened(7)));
          });
      server.on(
          Operation.RENEW_ROW_SESSION,
          (connection, frame) -> {
            int number = renewals.incrementAndGet();
            if (number == late) {
              asked.set(now.getAndAdd(lateNanos));
            } else if (number > late) {
              // The client has seen the late answer; it gets no further one.
              afterLate.countDown();
              return;
            }
            connection.answer(frame, new byte[0]);
          });
      RowSession.Wiring wiring =
          new RowSession.Wiring(new Caller(nodes), nodes, now::get, bound -> null, engine -> {});
      RowSession session = new ClientSessions(wiring).open(lease);
      afterLate.await();
      now.set(asked.get() + lease.toNanos() - 1);
      assertThat(session.isOpen()).isTrue();
      now.incrementAndGet();
      assertThat(session.isOpen()).isFalse();
      assertThat(session.ended().join()).isEqualTo(End.LOST);
    }
  }
}
