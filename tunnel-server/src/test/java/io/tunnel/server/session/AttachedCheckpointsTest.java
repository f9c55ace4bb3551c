package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checkpoints of channels that other nodes deliver: only the log says where they may be. */
final class AttachedCheckpointsTest extends AttachedSessionsFixture {

  @Test
  void a_checkpoint_is_bounded_by_the_logs_end_as_it_is_when_that_matters() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    int questions = log.questions();
    assertThat(checkpoint(held, 20, Bytes.EMPTY).told).as("known since the creation").isEqualTo(1);
    assertThat(log.questions()).isEqualTo(questions);
    log.set(low, 3, 25);
    FakeSession.Outcome later = checkpoint(held, 25, Bytes.EMPTY);
    assertThat(later.told).isZero();
    assertThat(log.questions()).isEqualTo(questions + 1);
    surroundings.runControl();
    assertThat(later.told).isEqualTo(1);
    assertThat(later.refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(25);
    FakeSession.Outcome beyond = checkpoint(held, 26, Bytes.EMPTY);
    surroundings.runControl();
    assertThat(code(beyond)).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(25);
  }

  @Test
  void checkpoints_that_wait_for_a_look_are_judged_by_who_holds_the_channel_then() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    log.hold(true);
    FakeSession.Outcome first = checkpoint(held, 22, Bytes.EMPTY);
    FakeSession.Outcome second = checkpoint(held, 24, Bytes.EMPTY);
    FakeSession.Outcome other = checkpoint(held(high), 4, Bytes.EMPTY);
    assertThat(other.told).as("what needs no look does not wait").isEqualTo(1);
    coordinator.disconnected(port);
    log.hold(false);
    surroundings.runControl();
    assertThat(code(first)).isEqualTo(ErrorCode.FENCED);
    assertThat(code(second)).isEqualTo(ErrorCode.FENCED);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
  }

  @Test
  void checkpoints_of_one_channel_that_both_wait_for_a_look_are_both_stored() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.set(low, 3, 25);
    FakeSession.Outcome first = new FakeSession.Outcome();
    FakeSession.Outcome second = new FakeSession.Outcome();
    Assignment held = held(low);
    checkpointTogether(request(held, 22, first));
    checkpointTogether(request(held, 24, second));
    surroundings.runControl();
    assertThat(first.refusal).isNull();
    assertThat(second.refusal).isNull();
    assertThat(second.told).isEqualTo(1);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(24);
  }

  /** A worker that is not answered in time asks again, with what it has by then. */
  @Test
  void a_checkpoint_that_waits_for_a_look_is_done_when_more_is_stored_meanwhile() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    log.hold(true);
    FakeSession.Outcome first = checkpoint(held, 22, Bytes.EMPTY);
    known.saw(low, new Bounds(3, 24));
    FakeSession.Outcome second = checkpoint(held, 24, Bytes.EMPTY);
    assertThat(second.told).isEqualTo(1);
    assertThat(first.told).isZero();
    log.hold(false);
    surroundings.runControl();
    assertThat(first.told).isEqualTo(1);
    assertThat(first.refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(24);
  }

  @Test
  void a_checkpoint_that_cannot_be_judged_is_refused_until_it_can() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.unreachable(true);
    FakeSession.Outcome outcome = checkpoint(held(low), 21, Bytes.EMPTY);
    surroundings.runControl();
    assertThat(code(outcome)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
  }

  @Test
  void a_checkpoint_that_cannot_be_judged_leaves_those_of_other_partitions_alone() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.set(low, 3, 25);
    log.set(high, 1, 15);
    log.unreachable(low, true);
    FakeSession.Outcome refused = new FakeSession.Outcome();
    FakeSession.Outcome stored = new FakeSession.Outcome();
    checkpointTogether(request(held(low), 22, refused), request(held(high), 14, stored));
    surroundings.runControl();
    assertThat(code(refused)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(stored.told).isEqualTo(1);
    assertThat(stored.refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
    assertThat(state(tunnel, ChannelKey.stream(high)).checkpointed()).isEqualTo(14);
  }

  @Test
  void checkpoints_whose_looks_are_answered_together_are_stored_with_one_write() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    log.set(low, 3, 25);
    log.set(high, 1, 15);
    checkpointTogether(
        request(held(low), 22, new FakeSession.Outcome()),
        request(held(high), 14, new FakeSession.Outcome()));
    int writes = store.writes();
    surroundings.runControl();
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(22);
    assertThat(state(tunnel, ChannelKey.stream(high)).checkpointed()).isEqualTo(14);
  }

  private void checkpointTogether(CheckpointRequest... requests) {
    coordinator.checkpoint(List.of(requests));
  }

  private CheckpointRequest request(Assignment held, long position, FakeSession.Outcome outcome) {
    return new CheckpointRequest(
        new Checkpoint(held.handle(), held.epoch(), position), port, outcome);
  }

  /** A worker that is lost before its checkpoint is known to be stored, and the next one. */
  private TunnelInfo heldWhileInDoubt() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    String lost = session(tunnel);
    store.loseWord();
    assertThat(checkpoint(held(low), 10, Bytes.EMPTY).refusal)
        .isInstanceOf(UnknownOutcomeException.class);
    coordinator.close(lost, port);
    session(tunnel);
    coordinator.tick();
    assertThat(port.held.values()).extracting(Assignment::partition).containsExactly(high);
    return tunnel;
  }

  @Test
  void nobody_else_gets_a_channel_before_it_is_known_that_its_checkpoint_is_not_stored() {
    var unused = heldWhileInDoubt();
    store.know();
    coordinator.tick();
    assertThat(held(low).checkpointed()).isEqualTo(2);
  }

  /** Otherwise changes 3 to 6, say, would come again, and 7 to 10 not, which were before them. */
  @Test
  void nobody_else_gets_a_channel_before_it_is_known_that_its_checkpoint_is_stored() {
    TunnelInfo tunnel = heldWhileInDoubt();
    coordinator.stored(store.lastWrite());
    session(tunnel);
    assertThat(held(low).checkpointed()).isEqualTo(10);
  }

  @Test
  void who_holds_a_channel_keeps_it_while_its_checkpoint_is_in_doubt() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    session(tunnel);
    Assignment held = held(low);
    store.loseWord();
    assertThat(checkpoint(held, 10, Bytes.EMPTY).refusal).isNotNull();
    coordinator.tick();
    assertThat(port.held).containsKey(held.handle());
    assertThat(checkpoint(held, 12, Bytes.EMPTY).refusal).isNull();
    coordinator.release(new ChannelRef(held.handle(), held.epoch()), port);
    assertThat(held(low).checkpointed()).as("known by a later write").isEqualTo(12);
  }
}
