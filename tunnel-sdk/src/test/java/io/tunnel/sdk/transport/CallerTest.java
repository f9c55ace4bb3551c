package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallerTest {

  private static final byte[] NOTHING = {};

  private final FakeServer home = new FakeServer();
  private final FakeServer leader = new FakeServer();
  private final EventLoops loops = new EventLoops(1);
  private final Nodes nodes =
      new Nodes(LoadedConfig.of(home.config()), ClientPort.of(loops.place(), new SystemClock()));
  private final Caller caller = new Caller(nodes);
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    nodes.close();
    home.close();
    leader.close();
    assertThat(home.failures()).isEmpty();
    assertThat(leader.failures()).isEmpty();
  }

  @Test
  void a_leader_that_is_busy_leads_all_the_same() {
    home.on(
        Operation.PAUSE,
        (connection, frame) -> {
          asked.add("home");
          connection.sendOn(frame, Optional.of(leader.address()));
        });
    AtomicInteger busy = new AtomicInteger(3);
    leader.on(
        Operation.PAUSE,
        (connection, frame) -> {
          asked.add("leader");
          if (busy.getAndDecrement() > 0) {
            connection.refuse(frame, ErrorCode.BUSY);
          } else {
            connection.answer(frame, NOTHING);
          }
        });
    byte[] answer = caller.awaitAnswer(Subject.tunnels("t"), Operation.PAUSE, NOTHING);
    assertThat(answer).isEmpty();
    assertThat(asked).containsExactly("home", "leader", "leader", "leader", "leader");
  }

  /** Answers a CREATE_TABLE as told, in turn; a later request is answered. */
  private void answerInTurn(List<BiConsumer<FakeConnection, Frame>> turns) {
    AtomicInteger turn = new AtomicInteger();
    home.on(
        Operation.CREATE_TABLE,
        (connection, frame) -> {
          asked.add(Control.RequestId.in(frame.payload()).requestId().orElse("nobody"));
          int now = turn.getAndIncrement();
          if (now < turns.size()) {
            turns.get(now).accept(connection, frame);
          } else {
            connection.answer(frame, NOTHING);
          }
        });
  }

  private byte[] create() {
    return caller.awaitChangeOnce(
        Subject.CATALOG, Operation.CREATE_TABLE, new Control.TableName("t"));
  }

  @Test
  void a_change_is_asked_for_again_under_its_id_until_somebody_knows() {
    answerInTurn(
        List.of(
            (connection, frame) -> connection.drop(),
            (connection, frame) -> connection.refuse(frame, ErrorCode.OUTCOME_UNKNOWN),
            (connection, frame) -> connection.refuse(frame, ErrorCode.LOG_UNAVAILABLE)));
    assertThat(create()).isEmpty();
    assertThat(asked).hasSize(4);
    assertThat(new HashSet<>(asked)).as("one id").hasSize(1).doesNotContain("nobody");
    assertThat(create()).isEmpty();
    assertThat(asked.get(4)).as("another request").isNotEqualTo(asked.get(0));
  }

  @Test
  void a_refusal_behind_a_doubt_is_certain() {
    answerInTurn(
        List.of(
            (connection, frame) -> connection.drop(),
            (connection, frame) -> connection.refuse(frame, ErrorCode.TABLE_EXISTS)));
    assertThatThrownBy(this::create)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_EXISTS));
  }

  /** Also when the last attempts were certainly not applied: an earlier one may have been. */
  @Test
  void whoever_cannot_be_told_in_time_has_to_look() {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    home.on(
        Operation.CREATE_TABLE,
        (connection, frame) -> {
          if (isFirst.getAndSet(false)) {
            connection.drop();
          } else {
            connection.refuse(frame, ErrorCode.LOG_UNAVAILABLE);
          }
        });
    Nodes hasty =
        new Nodes(
            LoadedConfig.of(home.config().withRetryDeadline(Duration.ofMillis(200))),
            ClientPort.of(loops.place(), new SystemClock()));
    Caller impatient = new Caller(hasty);
    assertThatThrownBy(
            () ->
                impatient.awaitChangeOnce(
                    Subject.CATALOG, Operation.CREATE_TABLE, new Control.TableName("t")))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN))
        .hasMessageContaining("look at the result before you try again")
        .hasMessageContaining("LOG_UNAVAILABLE");
    hasty.close();
  }
}
