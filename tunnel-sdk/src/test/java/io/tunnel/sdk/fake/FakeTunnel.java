package io.tunnel.sdk.fake;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A tunnel with some channels. Assigns all of them to the newest session, delivers within the
 * credit, and checks the worker: credit is conserved, and checkpoints lie between the last
 * checkpoint and the last delivery.
 */
public final class FakeTunnel {

  private final List<FakeChannel> channels = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final FakeServer server;
  private int sessions;
  private int heartbeats;
  private Optional<ErrorCode> releaseRefusal = Optional.empty();
  private Optional<ErrorCode> nextCheckpoint = Optional.empty();
  private boolean holdsCheckpoints;
  private Optional<Runnable> heldCheckpoint = Optional.empty();
  private boolean assignsBySelf = true;
  private Optional<ErrorCode> nextHeartbeat = Optional.empty();
  private Optional<ErrorCode> openRefusal = Optional.empty();
  private Optional<FailureControl.FailedChange> stoppedAt = Optional.empty();

  /** A tunnel named "tunnel" with {@code channelCount} channels on {@code server}. */
  public FakeTunnel(FakeServer server, int channelCount) {
    this.server = server;
    for (int i = 0; i < channelCount; i++) {
      channels.add(new FakeChannel(i));
    }
    server.on(Operation.OPEN_SESSION, this::openSession);
    server.on(Operation.HEARTBEAT, this::heartbeat);
    server.on(Operation.ATTACH, this::attach);
    server.on(Operation.DETACH, (connection, frame) -> connection.answer(frame, new byte[0]));
    server.on(Operation.CREDIT, this::credit);
    server.on(Operation.CHECKPOINT, this::checkpoint);
    server.on(Operation.CHECKPOINT_SKIPPING, this::checkpoint);
    server.on(Operation.RELEASE, this::release);
    server.on(Operation.STOP_CHANNEL, this::stopChannel);
    server.on(Operation.CLOSE_SESSION, this::closeSession);
    server.onEnd(this::connectionEnded);
  }

  private synchronized void openSession(FakeConnection connection, Frame frame) {
    if (openRefusal.isPresent()) {
      connection.refuse(frame, openRefusal.get());
      return;
    }
    sessions++;
    String session = "s" + sessions;
    events.add("open " + session);
    connection.answer(
        frame, Json.encode(new SessionControl.SessionOpened(session, FakeTable.meta())));
    if (assignsBySelf) {
      channels.forEach(channel -> channel.assign(session, connection));
    }
  }

  /** The handle of a delivery is the handle of the assignment. */
  private synchronized void attach(FakeConnection connection, Frame frame) {
    Attach asked = Json.decode(frame.payload(), Attach.class);
    FakeChannel channel = channels.get(asked.partition());
    if (asked.epoch() != channel.epoch || !channel.isOwner(connection)) {
      connection.refuse(frame, ErrorCode.FENCED);
      return;
    }
    channel.isAttached = true;
    channel.delivered = asked.position();
    connection.answer(frame, Json.encode(new Attached(channel.index)));
    if (channel.end > 0) {
      channel.tellEnd();
    }
  }

  private synchronized void heartbeat(FakeConnection connection, Frame frame) {
    heartbeats++;
    if (nextHeartbeat.isPresent()) {
      connection.refuse(frame, nextHeartbeat.get());
      nextHeartbeat = Optional.empty();
    } else {
      connection.answer(frame, new byte[0]);
    }
  }

  private synchronized void credit(FakeConnection connection, Frame frame) {
    Credit credit = Credit.decode(frame.payload());
    FakeChannel channel = channels.get(credit.handle());
    if (credit.epoch() == channel.epoch && channel.isOwner(connection)) {
      channel.grant(credit.bytes());
    }
  }

  private synchronized void checkpoint(FakeConnection connection, Frame frame) {
    if (holdsCheckpoints) {
      if (heldCheckpoint.isPresent()) {
        throw new AssertionError("two checkpoints of a channel are under way");
      }
      heldCheckpoint = Optional.of(() -> storeCheckpoint(connection, frame));
    } else {
      storeCheckpoint(connection, frame);
    }
  }

  private void storeCheckpoint(FakeConnection connection, Frame frame) {
    Optional<SkippingCheckpoint> skipping =
        frame.operation() == Operation.CHECKPOINT_SKIPPING
            ? Optional.of(Json.decode(frame.payload(), SkippingCheckpoint.class))
            : Optional.empty();
    Checkpoint checkpoint =
        skipping
            .map(SkippingCheckpoint::checkpoint)
            .orElseGet(() -> Checkpoint.decode(frame.payload()));
    FakeChannel channel = channels.get(checkpoint.handle());
    if (checkpoint.epoch() != channel.epoch || !channel.isOwner(connection)) {
      events.add("fenced " + channel.index);
      connection.refuse(frame, ErrorCode.FENCED);
    } else if (nextCheckpoint.isPresent()) {
      connection.refuse(frame, nextCheckpoint.get());
      nextCheckpoint = Optional.empty();
    } else if (checkpoint.position() < channel.checkpointed
        || checkpoint.position() > Math.max(channel.delivered, channel.end)) {
      connection.refuse(frame, ErrorCode.INVALID_CHECKPOINT);
    } else {
      skipping.ifPresent(
          said ->
              said.skipped()
                  .forEach(skip -> events.add("skip " + channel.index + " " + skip.position())));
      channel.checkpointed = checkpoint.position();
      events.add("checkpoint " + channel.index + " " + checkpoint.position());
      connection.answer(frame, new byte[0]);
    }
  }

  private synchronized void release(FakeConnection connection, Frame frame) {
    ChannelRef ref = ChannelRef.decode(frame.payload());
    FakeChannel channel = channels.get(ref.handle());
    if (ref.epoch() != channel.epoch) {
      connection.refuse(frame, ErrorCode.FENCED);
      return;
    }
    if (releaseRefusal.isPresent()) {
      connection.refuse(frame, releaseRefusal.get());
      return;
    }
    channel.owner = Optional.empty();
    events.add("release " + channel.index);
    connection.answer(frame, new byte[0]);
  }

  private synchronized void stopChannel(FakeConnection connection, Frame frame) {
    SessionControl.StopChannel stop =
        Json.decode(frame.payload(), SessionControl.StopChannel.class);
    FakeChannel channel = channels.get(stop.handle());
    if (stop.epoch() != channel.epoch) {
      connection.refuse(frame, ErrorCode.FENCED);
      return;
    }
    channel.owner = Optional.empty();
    stoppedAt = stop.at();
    events.add("stop " + channel.index + " " + stop.error());
    connection.answer(frame, new byte[0]);
  }

  private synchronized void closeSession(FakeConnection connection, Frame frame) {
    events.add("close");
    connectionEnded(connection);
    connection.answer(frame, new byte[0]);
  }

  private synchronized void connectionEnded(FakeConnection connection) {
    for (FakeChannel channel : channels) {
      if (channel.isOwner(connection)) {
        channel.owner = Optional.empty();
      }
    }
  }

  /** Appends one batch of {@code rows} rows whose column v is their position. */
  public synchronized void append(int index, int rows) {
    channels.get(index).append(rows);
  }

  /** Takes a channel back gracefully. */
  public synchronized void revoke(int index) {
    FakeChannel channel = channels.get(index);
    channel.credit = 0;
    channel
        .owner
        .orElseThrow()
        .push(
            Operation.REVOKE,
            Json.encode(
                new SessionControl.Revocation("s" + sessions, index, channel.epoch, 10_000)));
  }

  /** Announces the end of a channel. */
  public synchronized void end(int index, long position) {
    FakeChannel channel = channels.get(index);
    channel.end = position;
    if (channel.isAttached) {
      channel.tellEnd();
    }
  }

  /** Gives a channel to another session and tells the holder. */
  public synchronized void fence(int index) {
    FakeChannel channel = channels.get(index);
    FakeConnection holder = channel.owner.orElseThrow();
    long epoch = channel.epoch;
    steal(index);
    holder.push(
        Operation.FENCE,
        Json.encode(new SessionControl.Fence("s" + sessions, index, epoch, "taken")));
  }

  /** Ends the session. */
  public synchronized void endSession(ErrorCode code) {
    FakeConnection holder = server.connections().get(server.connections().size() - 1);
    connectionEnded(holder);
    holder.push(
        Operation.SESSION_END,
        Json.encode(new SessionControl.SessionEnd("s" + sessions, code, "ended by the test")));
  }

  /** Gives a channel to another session without telling the holder. */
  public synchronized void steal(int index) {
    channels.get(index).epoch++;
    channels.get(index).owner = Optional.empty();
  }

  /** Assigns a channel that nobody holds to the newest connection. */
  public synchronized void assign(int index) {
    List<FakeConnection> connections = server.connections();
    channels.get(index).assign("s" + sessions, connections.get(connections.size() - 1));
  }

  /** Announces that a channel cannot be read. */
  public synchronized void breakChannel(int index, ErrorCode code) {
    channels.get(index).owner.orElseThrow().error(Operation.DELIVER.code(), index, code);
  }

  /** Sends bytes as a delivery. */
  public synchronized void deliverRaw(int index, byte[] payload) {
    channels.get(index).owner.orElseThrow().push(Operation.DELIVER, payload);
  }

  /** Sends a channel's first batch again. */
  public synchronized void redeliver(int index) {
    channels.get(index).redeliver();
  }

  /** Whether new sessions are assigned all channels. */
  public synchronized void assignBySelf(boolean does) {
    assignsBySelf = does;
  }

  /** How the next heartbeat is refused. */
  public synchronized void refuseHeartbeat(ErrorCode code) {
    nextHeartbeat = Optional.of(code);
  }

  /** How the next checkpoint is refused. */
  public synchronized void refuseCheckpoint(ErrorCode code) {
    nextCheckpoint = Optional.of(code);
  }

  /** How every release is refused. */
  public synchronized void refuseReleases(ErrorCode code) {
    releaseRefusal = Optional.of(code);
  }

  /** From now on a checkpoint is answered only by {@link #answerCheckpoint}. */
  public synchronized void holdCheckpoints() {
    holdsCheckpoints = true;
  }

  /** Whether a checkpoint waits to be answered. */
  public synchronized boolean holdsCheckpoint() {
    return heldCheckpoint.isPresent();
  }

  /** Answers the checkpoint that waits. */
  public synchronized void answerCheckpoint() {
    Runnable held = heldCheckpoint.orElseThrow();
    heldCheckpoint = Optional.empty();
    held.run();
  }

  /** Heartbeats of all sessions. */
  public synchronized int heartbeats() {
    return heartbeats;
  }

  /** How sessions are refused from now on. */
  public synchronized void refuseSessions(Optional<ErrorCode> code) {
    openRefusal = code;
  }

  /** What happened, in order. */
  public synchronized List<String> events() {
    return List.copyOf(events);
  }

  /** The change at which a worker stopped a channel last. */
  public synchronized Optional<FailureControl.FailedChange> stoppedAt() {
    return stoppedAt;
  }

  /** Sessions opened. */
  public synchronized int sessions() {
    return sessions;
  }

  /** The position that is checkpointed. */
  public synchronized long checkpointed(int index) {
    return channels.get(index).checkpointed;
  }

  /** The position up to which the present holder was sent changes. */
  public synchronized long delivered(int index) {
    return channels.get(index).delivered;
  }

  /** Bytes delivered and not given back. */
  public synchronized long unreturned(int index) {
    return channels.get(index).unreturned;
  }

  /** The most bytes that were delivered and not given back. */
  public synchronized long unreturnedMax(int index) {
    return channels.get(index).unreturnedMax;
  }

  /** Credit that is left. */
  public synchronized long credit(int index) {
    return channels.get(index).credit;
  }

  /** Deliveries sent. */
  public synchronized int deliveries(int index) {
    return channels.get(index).deliveries;
  }

  /** The epoch of the present holding. */
  public synchronized long epoch(int index) {
    return channels.get(index).epoch;
  }

  /** Whether a session holds the channel. */
  public synchronized boolean isHeld(int index) {
    return channels.get(index).owner.isPresent();
  }
}
