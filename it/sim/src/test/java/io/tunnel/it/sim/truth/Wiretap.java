package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.it.sim.Happening;
import io.tunnel.it.sim.SimReading;
import io.tunnel.it.sim.World;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.machine.WireLink;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionId;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Sees every frame of a world, and tells the ledger what it means. */
public final class Wiretap implements SimNetwork.Tap {

  private final World world;
  private final Ledger ledger;

  private final Map<SimConnection, WireLink> links = new HashMap<>();
  private final WireAnswers answers;
  private final WrittenTruth written;

  /** After a drop was stored, what was on its way may still be sent for so long. */
  private static final long FAREWELL_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /** Somebody reads without a tunnel. */
  public void reading(Optional<SimReading> who) {
    answers.reading(who);
  }

  /** What was answered to writers that number. */
  public NumberedTruth numbered() {
    return answers.numbered();
  }

  /** What programs were told of their rows. */
  public WrittenTruth written() {
    return written;
  }

  /** What it tells. */
  public Ledger ledger() {
    return ledger;
  }

  public Wiretap(World world, Ledger ledger, WrittenTruth written) {
    this.world = world;
    this.ledger = ledger;
    this.answers = new WireAnswers(world, ledger);
    this.written = written;
  }

  private WireLink link(SimConnection connection) {
    return links.computeIfAbsent(connection, any -> new WireLink());
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    if (!connection.isServer(to)) {
      if (frame.operation() == Operation.WRITE) {
        written.answered(connection, frame);
      }
      return;
    }
    if (frame.kind() == FrameKind.REQUEST) {
      WireLink.Request request =
          new WireLink.Request(
              frame, world.agenda.nowNanos(), answers.acknowledgedFor(frame.operation()));
      link(connection).requests.put(frame.correlationId(), request);
      if (frame.operation() == Operation.WRITE) {
        answers.numbered().arrived(WriteRequest.decode(frame.payload()), request);
      } else if (frame.operation() == Operation.HEARTBEAT) {
        ledger.heard(Json.decode(frame.payload(), SessionId.class).sessionId());
      } else if (frame.operation() == Operation.RELEASE) {
        Holding holding =
            link(connection).holdings.get(ChannelRef.decode(frame.payload()).handle());
        if (holding != null && !holding.hasEnded()) {
          holding.isGivenBack = true;
        }
      } else if (frame.operation() == Operation.STOP_CHANNEL) {
        int handle = Json.decode(frame.payload(), StopChannel.class).handle();
        Holding holding = link(connection).holdings.get(handle);
        if (holding != null && !holding.hasEnded()) {
          holding.isGivenBack = true;
        }
      } else if (frame.operation() == Operation.SEEK) {
        Seek seek = Json.decode(frame.payload(), Seek.class);
        ledger.operated(seek.table(), seek.tunnel(), !seek.isDryRun());
        if (seek.checkpoints().isPresent()) {
          ledger.imported(seek.table(), seek.tunnel());
        }
      } else if (frame.operation() == Operation.END_SESSION) {
        EndSession end = Json.decode(frame.payload(), EndSession.class);
        ledger.operated(end.table(), end.tunnel(), false);
      } else if (frame.operation() == Operation.DELETE_TUNNEL) {
        TunnelName name = Json.decode(frame.payload(), TunnelName.class);
        ledger.operated(name.table(), name.tunnel(), false);
      } else if (frame.operation() == Operation.CLOSE_SESSION) {
        link(connection).holdings.values().forEach(each -> each.isGivenBack |= !each.hasEnded());
        link(connection).closing.add(Json.decode(frame.payload(), SessionId.class).sessionId());
      }
    } else if (frame.operation() == Operation.CREDIT) {
      Credit credit = Credit.decode(frame.payload());
      Holding holding = link(connection).attached.get(credit.handle());
      if (holding != null && holding.epoch() == credit.epoch()) {
        holding.creditReceived(credit.bytes());
      }
    }
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    if (connection.isServer(from)) {
      sentByServer(connection, frame);
    } else {
      sentByClient(connection, frame);
    }
  }

  @Override
  public void swallowed(SimConnection connection, SimSocket from, Frame frame) {
    if (!connection.isServer(from) && frame.operation() == Operation.WRITE) {
      written.sent(connection, frame);
    }
  }

  @Override
  public void cutInTwo() {
    world.count(Happening.FRAME_CUT_IN_TWO);
  }

  @Override
  public void full() {
    world.count(Happening.CONNECTION_FULL);
  }

  @Override
  public void closed(SimConnection connection, SimSocket by) {
    if (!connection.isServer(by)) {
      lost(connection, Holding.Reason.WORKER_GAVE_UP);
    }
  }

  private void sentByClient(SimConnection connection, Frame frame) {
    if (frame.operation() == Operation.WRITE) {
      written.sent(connection, frame);
      world.maybeLate(connection);
    }
    if (frame.operation() == Operation.CREDIT) {
      Credit credit = Credit.decode(frame.payload());
      world.trace.add(connection + " > CREDIT " + credit.handle() + " " + credit.bytes());
      Holding holding = link(connection).attached.get(credit.handle());
      if (holding != null && holding.epoch() == credit.epoch()) {
        holding.creditSent(credit.bytes(), world.settings.creditBytes());
      }
    } else {
      world.trace.add(
          connection + " > " + frame.operation() + " " + frame.correlationId() + detail(frame));
    }
  }

  private static String detail(Frame frame) {
    if (frame.kind() == FrameKind.REQUEST && WireAnswers.isCheckpoint(frame)) {
      Checkpoint checkpoint = WireAnswers.checkpoint(frame);
      return " " + checkpoint.handle() + " at " + checkpoint.position();
    }
    return "";
  }

  private void sentByServer(SimConnection connection, Frame frame) {
    String text = connection + " < " + frame.kind() + " " + frame.operation();
    if (frame.kind() == FrameKind.PUSH) {
      world.trace.add(text + pushed(connection, frame));
      return;
    }
    world.trace.add(text + " " + frame.correlationId());
    if (frame.operation() == Operation.WRITE) {
      written.said(connection, frame);
    }
    if (frame.operation() == Operation.DELIVER) {
      link(connection).reads.remove(frame.correlationId());
      answers.refused(frame);
      return;
    }
    WireLink.Request request = link(connection).requests.remove(frame.correlationId());
    if (frame.kind() == FrameKind.RESPONSE && request != null) {
      answers.answered(link(connection), request, frame);
    } else if (frame.kind() == FrameKind.ERROR) {
      answers.refused(frame);
      if (request != null
          && request.frame().operation() == Operation.READ_PARTITION
          && ErrorPayload.decode(frame.payload()).code() == ErrorCode.POSITION_REPLACED) {
        answers.replaced(request);
      }
    }
  }

  private String pushed(SimConnection connection, Frame frame) {
    WireLink link = link(connection);
    switch (frame.operation()) {
      case ASSIGN -> {
        Assignment assignment = Json.decode(frame.payload(), Assignment.class);
        Holding holding =
            ledger
                .channel(assignment.channelId())
                .assigned(assignment, connection, world.machine.serverNumber());
        link.holdings.put(assignment.handle(), holding);
        // The assignment was sent after the worker's close, which gives back all earlier
        // assignments.
        holding.isGivenBack = link.closing.contains(assignment.sessionId());
        ledger.requireParents(holding);
        if (connection.isCut() || !connection.client().isOpen()) {
          holding.reasons.add(Holding.Reason.CONNECTION_LOST);
        }
        return " " + assignment.handle() + " " + holding + " at " + assignment.checkpointed();
      }
      case REVOKE -> {
        Revocation revocation = Json.decode(frame.payload(), Revocation.class);
        Holding holding = link.holdings.get(revocation.handle());
        if (holding != null) {
          holding.revokedNanos = world.agenda.nowNanos();
        }
        world.count(Happening.REVOKED);
        return " " + revocation.handle();
      }
      case FENCE -> {
        world.count(Happening.FENCE_PUSHED);
        return "";
      }
      case END_OF_CHANNEL -> {
        ChannelEnd end = ChannelEnd.decode(frame.payload());
        world.count(Happening.END_PUSHED);
        return " " + end.handle() + " at " + end.position();
      }
      case DELIVER -> {
        Delivery delivery = Delivery.decode(frame.payload());
        if (link.reads.containsKey(delivery.handle())) {
          return " " + delivery.handle() + " to " + read(link, delivery);
        }
        if (link.watched.contains(delivery.handle())) {
          return " " + delivery.handle() + " to a watch";
        }
        Holding holding = link.attached.get(delivery.handle());
        deliver(holding, delivery, frame.payload().length);
        return " " + delivery.handle() + " to " + holding.deliveredTo();
      }
      default -> {
        return "";
      }
    }
  }

  private void deliver(Holding holding, Delivery delivery, int bytes) {
    Invariant.ONE_OWNER.require(
        holding != null && holding.epoch() == delivery.epoch(),
        "something is delivered on handle %d under epoch %s, of which nothing was said",
        delivery.handle(),
        Ledger.epochText(delivery.epoch()));
    ChannelTruth channel = ledger.channel(holding.assignment.channelId());
    PartitionTruth truth = channel.partition;
    world.machine.learn();
    TableTruth table = ledger.tableOf(truth.id);
    Invariant.DROPPED_IS_GONE.require(
        !table.wasDropped(world.agenda.nowNanos() - FAREWELL_NANOS_MAX),
        "%s: something is delivered of table %s, which was dropped",
        holding,
        table.name);
    for (PartitionTruth.Change change : holding.deliver(delivery, bytes)) {
      long position = change.record().position();
      if (channel.isBase || table.isDropped()) {
        continue;
      }
      Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
          position <= truth.committed() && truth.at(position).text().equals(change.text()),
          "%s: position %d is delivered as %s and is not committed so",
          holding,
          position,
          change.text());
    }
    if (holding.isCreditUsedUp()) {
      world.count(Happening.CREDIT_USED_UP);
    }
  }

  /** Something is delivered to who reads without a tunnel; returns up to which position. */
  private long read(WireLink link, Delivery delivery) {
    WireLink.Read read = link.reads.get(delivery.handle());
    PartitionTruth truth = ledger.partition(read.partition());
    world.machine.learn();
    long last = read.position();
    for (ChangeBatch batch : delivery.batches()) {
      for (PartitionTruth.Change change : PartitionTruth.changesOf(batch)) {
        long position = change.record().position();
        if (position < delivery.firstPosition()) {
          continue;
        }
        Invariant.NO_GAP.require(
            position == last + 1,
            "a reader of partition %d is delivered %d behind %d",
            read.partition(),
            position,
            last);
        Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
            position <= truth.committed() && truth.at(position).text().equals(change.text()),
            "a reader of partition %d is delivered %s at %d, which is not committed so",
            read.partition(),
            change.text(),
            position);
        last = position;
      }
    }
    link.reads.put(delivery.handle(), new WireLink.Read(read.partition(), last));
    return last;
  }

  /** A connection is lost, on purpose or not: what lived on it may be repeated. */
  public void lost(SimConnection connection, Holding.Reason reason) {
    for (Holding holding : link(connection).holdings.values()) {
      if (!holding.hasEnded() && !holding.isGivenBack) {
        holding.reasons.add(reason);
      }
    }
  }

  /** The server is no more, and with it all connections. */
  public void serverDied() {
    links.clear();
  }
}
