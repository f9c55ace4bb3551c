package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A shared log that loses its end below the checkpoints of tunnels, and grows again. */
final class StaleCheckpointsTest extends AttachedSessionsFixture {

  private static final Start FIRST = new Start(5, 1);

  private static IncarnationHistory ledBy(Start... starts) {
    return new IncarnationHistory(
        Stream.of(starts).map(Start::incarnation).toList(), List.of(starts), Numbers.ORDERED);
  }

  private TunnelInfo held() {
    log.set(low, 3, 20, ledBy(FIRST));
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    return tunnel;
  }

  private FakeSession.Outcome checkpoint(long position, long incarnation) {
    return checkpoint(held(low), position, Checkpoint.rest(Optional.of(incarnation)));
  }

  private FakeSession.Outcome replaced(Assignment held) {
    FakeSession.Outcome outcome = new FakeSession.Outcome();
    coordinator.replaced(
        new StopChannel(
            held.handle(),
            held.epoch(),
            "POSITION_REPLACED",
            Optional.empty(),
            Optional.of(ErrorCode.POSITION_REPLACED)),
        port,
        outcome);
    return outcome;
  }

  private Optional<KnownPosition> stored(TunnelInfo tunnel) throws IOException {
    return new TunnelCatalog(catalog.tables(), store, GROUP)
        .channel(tunnel.tunnelId(), ChannelKey.stream(low))
        .known();
  }

  @Test
  void a_tunnel_begins_and_goes_on_with_the_incarnation_of_where_it_is() throws IOException {
    TunnelInfo tunnel = held();
    assertThat(stored(tunnel)).contains(new KnownPosition(2, 5));
    assertThat(held(low).incarnation()).contains(5L);
    assertThat(held(high).incarnation()).as("that the log does not tell").isEmpty();
    assertThat(checkpoint(12, 6).refusal).isNull();
    assertThat(stored(tunnel)).contains(new KnownPosition(12, 6));
    assertThat(operators.export(tunnel).channels())
        .filteredOn(channel -> channel.partition() == low)
        .extracting(ChannelPosition::incarnation)
        .containsExactly(Optional.of(6L));
    assertThat(checkpoint(held(low), 13, Bytes.EMPTY).refusal).isNull();
    assertThat(stored(tunnel)).as("a worker that does not know it").isEmpty();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(13);
  }

  @Test
  void progress_in_what_the_log_lost_is_taken_back_and_the_channel_goes_on_from_there()
      throws IOException {
    TunnelInfo tunnel = held();
    assertThat(checkpoint(18, 5).refusal).isNull();
    log.set(low, 3, 30, ledBy(FIRST, new Start(7, 11)));
    Assignment former = held(low);
    FakeSession.Outcome outcome = replaced(former);
    assertThat(outcome.told).as("the log is asked first").isZero();
    surroundings.runControl();
    assertThat(outcome.told).isEqualTo(1);
    assertThat(outcome.refusal).isNull();
    assertThat(stored(tunnel)).contains(new KnownPosition(10, 7));
    assertThat(surroundings.takenBack).isEqualTo(1);
    assertThat(held(low))
        .extracting(Assignment::checkpointed, Assignment::incarnation)
        .containsExactly(10L, Optional.of(7L));
    assertThat(held(low).epoch()).isGreaterThan(former.epoch());
    assertThat(code(checkpoint(former, 19, Checkpoint.rest(Optional.of(5L)))))
        .as("what was under way when it was taken back")
        .isEqualTo(ErrorCode.FENCED);
    assertThat(checkpoint(11, 7).refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).stop()).isEmpty();
  }

  @Test
  void an_end_behind_what_the_log_still_has_is_looked_for_again() throws IOException {
    log.set(low, 3, 20, ledBy(FIRST));
    surroundings.nowMs = 1_000;
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L));
    surroundings.nowMs = 60_000;
    log.record(low, 21, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    surroundings.runControl();
    assertThat(state(tunnel, ChannelKey.stream(low)).end()).contains(20L);
    session(tunnel);
    assertThat(checkpoint(18, 5).refusal).isNull();
    log.set(low, 3, 12, ledBy(FIRST, new Start(7, 11)));
    log.record(low, 13, 2_000_000);
    replaced(held(low));
    surroundings.runControl();
    assertThat(state(tunnel, ChannelKey.stream(low)).end()).isEmpty();
    coordinator.tick();
    surroundings.passBarriers();
    surroundings.runControl();
    assertThat(state(tunnel, ChannelKey.stream(low)).end()).contains(12L);
  }

  @Test
  void progress_that_was_not_lost_stays_and_is_not_refused_for_the_same_reason_again()
      throws IOException {
    TunnelInfo tunnel = held();
    assertThat(checkpoint(10, 5).refusal).isNull();
    log.set(low, 3, 30, ledBy(FIRST, new Start(7, 11)));
    Assignment former = held(low);
    assertThat(replaced(former).told).isZero();
    surroundings.runControl();
    assertThat(stored(tunnel)).contains(new KnownPosition(10, 7));
    assertThat(surroundings.takenBack).isZero();
    assertThat(held(low).epoch()).isGreaterThan(former.epoch());
    assertThat(held(low).checkpointed()).isEqualTo(10);
  }

  /** A worker that reports such an incarnation is not believed, and its channel is not stuck. */
  @Test
  void progress_of_an_incarnation_that_the_log_does_not_know_is_taken_back_to_the_beginning()
      throws IOException {
    TunnelInfo tunnel = held();
    assertThat(checkpoint(18, 3).refusal).isNull();
    assertThat(replaced(held(low)).told).isZero();
    surroundings.runControl();
    assertThat(stored(tunnel)).contains(new KnownPosition(0, 5));
    assertThat(surroundings.takenBack).isEqualTo(1);
    assertThat(held(low).checkpointed()).isZero();
  }

  @Test
  void progress_that_was_stored_without_its_incarnation_is_not_judged() throws IOException {
    TunnelInfo tunnel = held();
    assertThat(checkpoint(held(low), 18, Bytes.EMPTY).refusal).isNull();
    log.set(low, 3, 30, ledBy(FIRST, new Start(7, 11)));
    assertThat(replaced(held(low)).refusal).isNull();
    assertThat(stored(tunnel)).isEmpty();
    assertThat(held(low))
        .extracting(Assignment::checkpointed, Assignment::incarnation)
        .containsExactly(18L, Optional.empty());
  }

  @Test
  void nothing_is_taken_back_for_who_holds_the_channel_no_more_or_when_the_log_cannot_be_asked()
      throws IOException {
    TunnelInfo tunnel = held();
    assertThat(checkpoint(18, 5).refusal).isNull();
    Assignment former = held(low);
    log.unreachable(true);
    FakeSession.Outcome unasked = replaced(former);
    surroundings.runControl();
    assertThat(code(unasked)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(held(low)).isEqualTo(former);
    log.unreachable(false);
    log.set(low, 3, 30, ledBy(FIRST, new Start(7, 11)));
    FakeSession.Outcome late = replaced(former);
    coordinator.disconnected(port);
    surroundings.runControl();
    assertThat(code(late)).isEqualTo(ErrorCode.FENCED);
    assertThat(stored(tunnel)).contains(new KnownPosition(18, 5));
    session(tunnel);
    assertThat(held(low).incarnation()).as("the next is refused in turn").contains(5L);
  }

  private SeekResult bring(ChannelPosition position) {
    List<SeekResult> results = new ArrayList<>();
    List<Exception> failures = new ArrayList<>();
    operators.seek(
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new CheckpointSet(table.tableId(), "t", "n", List.of(position))),
            false),
        Asked.NAMELESS,
        new Operators.Answer<>() {
          @Override
          public void done(SeekResult result) {
            results.add(result);
          }

          @Override
          public void failed(Exception reason) {
            failures.add(reason);
          }
        });
    surroundings.runControl();
    if (!failures.isEmpty()) {
      throw (RuntimeException) failures.get(0);
    }
    return results.get(0);
  }

  private ChannelPosition at(long position, Optional<Long> incarnation) {
    return new ChannelPosition(low, ChannelType.Stream, position, Bytes.EMPTY, false, incarnation);
  }

  @Test
  void checkpoints_of_what_the_log_lost_are_not_brought_back() throws IOException {
    TunnelInfo tunnel = held();
    log.set(low, 3, 30, ledBy(FIRST, new Start(7, 11)));
    assertThatThrownBy(() -> bring(at(11, Optional.of(5L))))
        .hasMessageContaining("after 10")
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_REPLACED));
    assertThat(stored(tunnel)).contains(new KnownPosition(2, 5));
    bring(at(10, Optional.of(5L)));
    assertThat(stored(tunnel)).contains(new KnownPosition(10, 7));
    bring(at(11, Optional.empty()));
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(11);
    assertThat(stored(tunnel)).as("nobody knows what that is of").isEmpty();
  }
}
