package io.tunnel.it.sim;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.ClusterControl.Attached;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.PartitionControl.ReadPartition;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.OpenSession;
import io.tunnel.wire.SessionControl.Revocation;
import io.tunnel.wire.SessionControl.SessionId;
import io.tunnel.wire.SessionControl.SessionOpened;
import io.tunnel.wire.SessionControl.StopChannel;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sees every frame of a world, and tells the ledger what it means. */
final class Wiretap implements SimNetwork.Tap {

  private final World world;
  private final Ledger ledger;
  private final Map<SimConnection, Link> links = new HashMap<>();
  private Optional<SimReading> reading = Optional.empty();

  private static final Set<Operation> OF_ROWS =
      EnumSet.of(Operation.WRITE, Operation.GET_ROW, Operation.GET_RANGE);

  /** After a drop was stored, what was on its way may still be sent for so long. */
  private static final long FAREWELL_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /** What is known of a connection: requests that wait for an answer, and channels by handle. */
  private static final class Link {
    private final Map<Integer, Request> requests = new HashMap<>();
    private final Map<Integer, Holding> holdings = new HashMap<>();

    /** What is delivered, by the name that deliveries have. */
    private final Map<Integer, Holding> attached = new HashMap<>();

    /** What is read without a tunnel, by handle: partition and last position. */
    private final Map<Integer, Read> reads = new HashMap<>();

    /** Sessions whose workers have asked for their end. */
    private final Set<String> closing = new HashSet<>();
  }

  /**
   * A request that waits for its answer.
   *
   * @param acknowledged how far each partition was acknowledged when it arrived
   */
  private record Request(Frame frame, long arrivedNanos, Map<Integer, Long> acknowledged) {}

  /** A partition that is read without a tunnel, delivered up to a position. */
  private record Read(int partition, long position) {}

  /** Somebody reads without a tunnel. */
  void reading(Optional<SimReading> who) {
    reading = who;
  }

  /** What it tells. */
  Ledger ledger() {
    return ledger;
  }

  Wiretap(World world, Ledger ledger) {
    this.world = world;
    this.ledger = ledger;
  }

  private Link link(SimConnection connection) {
    return links.computeIfAbsent(connection, any -> new Link());
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    if (!connection.isServer(to)) {
      return;
    }
    if (frame.kind() == FrameKind.REQUEST) {
      link(connection)
          .requests
          .put(
              frame.correlationId(),
              new Request(frame, world.agenda.nowNanos(), acknowledgedFor(frame.operation())));
      if (frame.operation() == Operation.HEARTBEAT) {
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

  private static boolean isCheckpoint(Frame frame) {
    return frame.operation() == Operation.CHECKPOINT
        || frame.operation() == Operation.CHECKPOINT_SKIPPING;
  }

  private static Checkpoint checkpoint(Frame frame) {
    return frame.operation() == Operation.CHECKPOINT
        ? Checkpoint.decode(frame.payload())
        : Json.decode(frame.payload(), SkippingCheckpoint.class).checkpoint();
  }

  private static String detail(Frame frame) {
    if (frame.kind() == FrameKind.REQUEST && isCheckpoint(frame)) {
      Checkpoint checkpoint = checkpoint(frame);
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
    if (frame.operation() == Operation.DELIVER) {
      link(connection).reads.remove(frame.correlationId());
      refused(frame);
      return;
    }
    Request request = link(connection).requests.remove(frame.correlationId());
    if (frame.kind() == FrameKind.RESPONSE && request != null) {
      answered(connection, request, frame);
    } else if (frame.kind() == FrameKind.ERROR) {
      refused(frame);
      if (request != null
          && ErrorPayload.decode(frame.payload()).code() == ErrorCode.POSITION_REPLACED) {
        ReadPartition asked = Json.decode(request.frame().payload(), ReadPartition.class);
        reading.orElseThrow().requireLost(asked);
      }
    }
  }

  private String pushed(SimConnection connection, Frame frame) {
    Link link = link(connection);
    switch (frame.operation()) {
      case ASSIGN -> {
        Assignment assignment = Json.decode(frame.payload(), Assignment.class);
        Holding holding =
            ledger
                .channel(assignment.channelId())
                .assigned(assignment, connection, world.machine.serverNumber());
        link.holdings.put(assignment.handle(), holding);
        // The word of it left behind the worker's own, which gives back all that there is by then.
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

  private Map<Integer, Long> acknowledgedFor(Operation operation) {
    return OF_ROWS.contains(operation) ? RowAnswers.acknowledgedOf(ledger.partitions) : Map.of();
  }

  private void answered(SimConnection connection, Request request, Frame answer) {
    Frame asked = request.frame();
    switch (asked.operation()) {
      case WRITE -> {
        WriteRequest write = WriteRequest.decode(asked.payload());
        WriteResult result = WriteResult.decode(answer.payload());
        world.machine.learn();
        PartitionTruth truth = ledger.partition(write.batch().partition());
        if (isDropped(truth, request)) {
          return;
        }
        RowAnswers.requireWritten(write, result, truth, request.acknowledged().get(truth.id));
        boolean isSynced = write.durability().orElse(Durability.FSYNC) == Durability.FSYNC;
        truth.acknowledged(result.firstPosition() + result.appliedRows() - 1, isSynced);
        result.rejections().forEach(each -> world.count(Happening.ROW_REJECTED));
        world.count(isSynced ? Happening.WRITE_SYNCED : Happening.WRITE_UNSYNCED);
      }
      case GET_ROW ->
          requireRow(
              GetRowRequest.decode(asked.payload()),
              ChangeBatch.parse(answer.payload(), 0, answer.payload().length),
              request);
      case GET_RANGE ->
          requirePage(
              RangeRequest.decode(asked.payload()), RangePage.decode(answer.payload()), request);
      case OPEN_SESSION -> {
        OpenSession open = Json.decode(asked.payload(), OpenSession.class);
        ledger.opened(
            Json.decode(answer.payload(), SessionOpened.class).sessionId(),
            TimeUnit.MILLISECONDS.toNanos(open.leaseMs()),
            request.arrivedNanos());
      }
      case CHECKPOINT, CHECKPOINT_SKIPPING -> {
        Checkpoint checkpoint = checkpoint(asked);
        Holding holding = link(connection).holdings.get(checkpoint.handle());
        Invariant.NOTHING_AFTER_REVOCATION_COUNTS.require(
            holding != null
                && holding.epoch() == checkpoint.epoch()
                && (!holding.hasEnded() || holding.endedNanos >= request.arrivedNanos()),
            "a checkpoint at %d came on handle %d under epoch %s after that had ended, and was"
                + " taken",
            checkpoint.position(),
            checkpoint.handle(),
            Ledger.epochText(checkpoint.epoch()));
        world.count(Happening.CHECKPOINTED);
      }
      case SEEK -> {
        if (Json.decode(asked.payload(), Seek.class).checkpoints().isPresent()) {
          world.count(Happening.CHECKPOINTS_IMPORTED);
        }
      }
      case ATTACH -> attached(link(connection), asked, answer);
      case READ_PARTITION -> {
        ReadPartition read = Json.decode(asked.payload(), ReadPartition.class);
        int handle = Json.decode(answer.payload(), Attached.class).handle();
        link(connection).reads.put(handle, new Read(read.partition(), read.position()));
        world.machine.learn();
        reading.orElseThrow().requireThere(read);
      }
      case EXPORT_CHECKPOINTS -> {
        ledger.exported(Json.decode(answer.payload(), CheckpointSet.class));
        world.count(Happening.CHECKPOINTS_EXPORTED);
      }
      case RELEASE -> world.count(Happening.RELEASED);
      case STOP_CHANNEL -> world.count(Happening.CHANNEL_STOPPED);
      case PAUSE -> world.count(Happening.PAUSED);
      case RESUME -> world.count(Happening.RESUMED);
      case END_SESSION -> world.count(Happening.SESSION_ENDED_BY_OPERATOR);
      default -> {
        // Nothing that is promised.
      }
    }
  }

  /** A worker has attached to a channel that its session on the same connection holds. */
  private static void attached(Link link, Frame asked, Frame answer) {
    Attach attach = Json.decode(asked.payload(), Attach.class);
    int handle = Json.decode(answer.payload(), Attached.class).handle();
    link.holdings.values().stream()
        .filter(holding -> holding.assignment.channelId().equals(attach.channelId()))
        .filter(holding -> holding.epoch() == attach.epoch())
        .forEach(
            holding -> {
              holding.attached();
              link.attached.put(handle, holding);
            });
  }

  /** Something is delivered to who reads without a tunnel; returns up to which position. */
  private long read(Link link, Delivery delivery) {
    Read read = link.reads.get(delivery.handle());
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
    link.reads.put(delivery.handle(), new Read(read.partition(), last));
    return last;
  }

  /** Whether its table is dropped, which nobody may be told anything of that asks behind it. */
  private boolean isDropped(PartitionTruth partition, Request request) {
    TableTruth table = ledger.tableOf(partition.id);
    Invariant.DROPPED_IS_GONE.require(
        !table.wasDropped(request.arrivedNanos()),
        "%s came when table %s was dropped, and was done",
        request.frame().operation(),
        table.name);
    return table.isDropped();
  }

  private void requireRow(GetRowRequest asked, ChangeBatch answer, Request request) {
    world.machine.learn();
    PartitionTruth truth = ledger.partition(answer.partition());
    if (!isDropped(truth, request)) {
      RowAnswers.requireRow(asked, answer, truth, request.acknowledged().get(truth.id));
      world.count(Happening.ROW_READ);
    }
  }

  private void requirePage(RangeRequest asked, RangePage page, Request request) {
    world.machine.learn();
    PartitionTruth truth = ledger.partition(page.rows().partition());
    if (!isDropped(truth, request)) {
      RowAnswers.requirePage(asked, page, truth, request.acknowledged().get(truth.id));
      world.count(Happening.RANGE_READ);
    }
  }

  /** The server refused something. */
  private void refused(Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    world.trace.add("refused as " + error.code() + ": " + error.message());
    switch (error.code()) {
      case FENCED -> world.count(Happening.FENCED);
      case INVALID_REQUEST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.CREATE_TUNNEL
                  || frame.operation() == Operation.SEEK
                  // A process that was paused as soon as it had connected.
                  || error.message().startsWith("no HELLO came"),
              "%s: %s",
              frame.operation(),
              error.message());
      case HISTORY_LOST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.SEEK
                  || frame.operation() == Operation.CREATE_TUNNEL
                  || frame.operation() == Operation.READ_PARTITION
                  || frame.operation() == Operation.DELIVER,
              "%s: %s",
              frame.operation(),
              error.message());
      case INTERNAL, CORRUPT, STORAGE_FAILED, INVALID_CHECKPOINT ->
          throw Invariant.NOTHING_BREAKS.broken("%s: %s", error.code(), error.message());
      default -> {
        // As it must be.
      }
    }
  }

  /** A connection is lost, on purpose or not: what lived on it may be repeated. */
  void lost(SimConnection connection, Holding.Reason reason) {
    for (Holding holding : link(connection).holdings.values()) {
      if (!holding.hasEnded() && !holding.isGivenBack) {
        holding.reasons.add(reason);
      }
    }
  }

  /** The server is no more, and with it all connections. */
  void serverDied() {
    links.clear();
  }
}
