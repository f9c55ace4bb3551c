package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The incarnations of the log that a worker reports with its positions. */
class WorkerIncarnationsTest extends AttachedWorkerFixture {

  private static final int HANDLE = 99;

  private final List<Attach> asked = new CopyOnWriteArrayList<>();
  private final List<Checkpoint> checkpoints = new CopyOnWriteArrayList<>();
  private final List<StopChannel> stops = new CopyOnWriteArrayList<>();
  private volatile Optional<Long> told = Optional.of(7L);

  /** Set after the answer to each ATTACH, so that no push precedes the answer. */
  private volatile FakeConnection leader;

  /** Node 0 has the session with one channel at position 10; node 1 delivers the channel. */
  private FakeLeaders channel(Optional<Long> incarnation) {
    FakeLeaders leaders = streams(2, 1);
    leaders
        .node(0)
        .on(
            Operation.OPEN_SESSION,
            (connection, frame) -> {
              connection.answer(frame, Json.encode(new SessionOpened("s", FakeTable.meta())));
              connection.push(Operation.ASSIGN, Json.encode(assignment(incarnation)));
            })
        .on(
            Operation.CHECKPOINT,
            (connection, frame) -> {
              checkpoints.add(Checkpoint.decode(frame.payload()));
              connection.answer(frame, new byte[0]);
            })
        .on(
            Operation.STOP_CHANNEL,
            (connection, frame) -> {
              stops.add(Json.decode(frame.payload(), StopChannel.class));
              connection.answer(frame, new byte[0]);
            });
    leaders.node(1).on(Operation.ATTACH, this::attach);
    return leaders;
  }

  private static Assignment assignment(Optional<Long> incarnation) {
    return new Assignment(
        "s",
        "p0_1",
        0,
        0,
        1,
        10,
        ChannelType.Stream,
        Optional.empty(),
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        Bytes.EMPTY,
        incarnation);
  }

  private void attach(FakeConnection connection, Frame frame) {
    asked.add(Json.decode(frame.payload(), Attach.class));
    if (told.isEmpty() && asked.size() > 1) {
      connection.refuse(frame, ErrorCode.POSITION_REPLACED);
      return;
    }
    connection.answer(frame, Json.encode(new Attached(HANDLE, told)));
    leader = connection;
  }

  private void endDelivery() {
    FakeConnection delivering = leader;
    leader = null;
    delivering.error(Operation.DELIVER.code(), HANDLE, ErrorCode.BUSY);
  }

  private void settle(long position) {
    leader.push(Operation.SETTLED, new ChannelEnd(HANDLE, 1, position).encode());
    Waits.until("a checkpoint", () -> checkpointed(position));
  }

  private boolean checkpointed(long position) {
    return checkpoints.stream().anyMatch(checkpoint -> checkpoint.position() == position);
  }

  @Test
  void checkpoints_are_of_the_incarnation_that_the_node_told_who_delivers() {
    start(channel(Optional.of(5L)), new RecordingProcessor(), 1);
    Waits.until("attached", () -> leader != null);
    assertThat(asked.get(0).known()).contains(new KnownPosition(10, 5));
    settle(20);
    assertThat(checkpoints.get(0).incarnation()).contains(7L);
    told = Optional.of(8L);
    endDelivery();
    Waits.until("attached again", () -> leader != null);
    assertThat(asked.get(1).known()).contains(new KnownPosition(20, 7));
    settle(30);
    assertThat(checkpoints.get(checkpoints.size() - 1).incarnation()).contains(8L);
  }

  @Test
  void who_is_refused_for_what_was_lost_says_so_to_the_session() {
    told = Optional.empty();
    start(channel(Optional.empty()), new RecordingProcessor(), 1);
    Waits.until("attached", () -> leader != null);
    assertThat(asked.get(0).known()).isEmpty();
    settle(20);
    assertThat(checkpoints.get(0).incarnation()).as("that nobody told").isEmpty();
    assertThat(checkpoints.get(0).key()).isEqualTo(Bytes.EMPTY);
    endDelivery();
    Waits.until("the word", () -> !stops.isEmpty());
    assertThat(stops.get(0).code()).contains(ErrorCode.POSITION_REPLACED);
    assertThat(stops.get(0).error()).startsWith("POSITION_REPLACED");
  }
}
