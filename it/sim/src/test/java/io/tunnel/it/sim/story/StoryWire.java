package io.tunnel.it.sim.story;

import io.tunnel.it.sim.machine.PassingTap;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.truth.ChannelTruth;
import io.tunnel.it.sim.truth.Ledger;
import io.tunnel.it.sim.truth.Wiretap;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Says in words what goes from the server to workers, when it leaves. */
final class StoryWire extends PassingTap {

  private final Ledger ledger;
  private final StoryLines lines;
  private final StoryNames names;
  private final Map<Place, String> channels = new HashMap<>();
  private final Map<Place, Frame> requests = new HashMap<>();
  private final Set<String> terminated = new HashSet<>();
  private boolean saysDeliveries;

  /** A handle, or a request's number, on a connection. */
  private record Place(SimConnection connection, int number) {
    /** A connection is named after who opened it. */
    String worker() {
      String name = connection.toString();
      return name.substring(0, name.indexOf('#'));
    }
  }

  StoryWire(Wiretap wiretap, StoryLines lines, StoryNames names) {
    super(wiretap);
    this.ledger = wiretap.ledger();
    this.lines = lines;
    this.names = names;
  }

  void sayDeliveries() {
    saysDeliveries = true;
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    super.sent(connection, from, frame);
    sayTerminated();
    if (!connection.isServer(from)) {
      if (frame.kind() == FrameKind.REQUEST) {
        requests.put(new Place(connection, frame.correlationId()), frame);
      }
    } else if (frame.kind() == FrameKind.PUSH) {
      pushed(connection, frame);
    } else {
      Frame request = requests.remove(new Place(connection, frame.correlationId()));
      if (request != null) {
        answered(connection, request, frame);
      }
    }
  }

  /** Prints each channel that has terminated, once. */
  void sayTerminated() {
    for (ChannelTruth channel : ledger.channels.values()) {
      if (channel.isTerminated()
          ? terminated.add(channel.channelId)
          : terminated.remove(channel.channelId)) {
        lines.add(
            names.channel(channel.channelId)
                + (channel.isTerminated() ? " is TERMINATED" : " is no longer TERMINATED"));
      }
    }
  }

  private void pushed(SimConnection connection, Frame frame) {
    switch (frame.operation()) {
      case ASSIGN -> {
        Assignment assignment = Json.decode(frame.payload(), Assignment.class);
        Place place = new Place(connection, assignment.handle());
        names.session(assignment.sessionId(), place.worker());
        channels.put(place, names.channel(assignment.channelId()));
        lines.add(
            place.worker()
                + " is given "
                + channels.get(place)
                + " from "
                + (assignment.checkpointed() + 1)
                + " on, epoch "
                + Ledger.epochText(assignment.epoch()));
      }
      case REVOKE -> {
        Place place =
            new Place(connection, Json.decode(frame.payload(), Revocation.class).handle());
        lines.add(place.worker() + " is asked to give back " + channels.get(place));
      }
      case FENCE -> {
        Fence fence = Json.decode(frame.payload(), Fence.class);
        Place place = new Place(connection, fence.handle());
        lines.add(
            place.worker()
                + " is fenced from "
                + channels.get(place)
                + ", epoch "
                + Ledger.epochText(fence.epoch())
                + ": "
                + names.plain(fence.reason()));
      }
      case SESSION_END -> {
        SessionEnd end = Json.decode(frame.payload(), SessionEnd.class);
        lines.add(
            new Place(connection, 0).worker()
                + " is told "
                + end.code()
                + ": "
                + names.plain(end.reason()));
      }
      case END_OF_CHANNEL -> {
        ChannelEnd end = ChannelEnd.decode(frame.payload());
        Place place = new Place(connection, end.handle());
        lines.add(
            place.worker() + " is told that " + channels.get(place) + " ends at " + end.position());
      }
      case DELIVER -> {
        if (saysDeliveries) {
          delivered(connection, Delivery.decode(frame.payload()));
        }
      }
      default -> {
        // Credit and the like are no part of a story.
      }
    }
  }

  private void delivered(SimConnection connection, Delivery delivery) {
    Place place = new Place(connection, delivery.handle());
    long last = delivery.firstPosition() - 1;
    for (var batch : delivery.batches()) {
      last = batch.basePosition() + batch.rowCount() - 1;
    }
    lines.add(
        place.worker() + " is sent " + channels.get(place), delivery.firstPosition(), last, "");
  }

  private void answered(SimConnection connection, Frame request, Frame answer) {
    String failure = "";
    if (answer.kind() == FrameKind.ERROR) {
      ErrorCode code = ErrorPayload.decode(answer.payload()).code();
      failure = ", which is refused: " + code;
    }
    String worker = new Place(connection, 0).worker();
    switch (request.operation()) {
      case CHECKPOINT -> {
        Checkpoint checkpoint = Checkpoint.decode(request.payload());
        String channel = channels.get(new Place(connection, checkpoint.handle()));
        lines.add(worker + " checkpoints " + channel + " at " + checkpoint.position() + failure);
      }
      case OPEN_SESSION -> {
        if (failure.isEmpty()) {
          SessionOpened opened = Json.decode(answer.payload(), SessionOpened.class);
          names.session(opened.sessionId(), worker);
        }
        lines.add(worker + " opens a session" + failure);
      }
      case WRITE -> {
        if (failure.isEmpty()) {
          WriteResult result = WriteResult.decode(answer.payload());
          String partition =
              names.partition(WriteRequest.decode(request.payload()).batch().partition());
          long last = result.firstPosition() + result.appliedRows() - 1;
          lines.add("written " + partition, result.firstPosition(), last, "");
        }
      }
      case ATTACH -> {
        if (failure.isEmpty()) {
          Attach attach = Json.decode(request.payload(), Attach.class);
          int handle = Json.decode(answer.payload(), Attached.class).handle();
          channels.put(new Place(connection, handle), names.channel(attach.channelId()));
        }
      }
      case HEARTBEAT, RELEASE, STOP_CHANNEL, CLOSE_SESSION -> {
        if (!failure.isEmpty()) {
          lines.add(worker + " says " + request.operation() + failure);
        }
      }
      default -> {
        // What operators are answered is said by the command that asks.
      }
    }
  }

  /** What a worker says takes effect when it arrives. */
  private void arrived(SimConnection connection, Frame frame) {
    String worker = new Place(connection, 0).worker();
    switch (frame.operation()) {
      case RELEASE -> {
        int handle = ChannelRef.decode(frame.payload()).handle();
        lines.add(worker + " gives back " + channels.get(new Place(connection, handle)));
      }
      case STOP_CHANNEL -> {
        StopChannel stop = Json.decode(frame.payload(), StopChannel.class);
        String channel = channels.get(new Place(connection, stop.handle()));
        lines.add(worker + " stops " + channel + ": " + stop.error());
      }
      case CLOSE_SESSION -> lines.add(worker + " closes its session");
      default -> {
        // Printed with its answer.
      }
    }
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    super.received(connection, to, frame);
    if (connection.isServer(to) && frame.kind() == FrameKind.REQUEST) {
      arrived(connection, frame);
    }
  }
}
