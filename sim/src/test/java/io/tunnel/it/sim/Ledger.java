package io.tunnel.it.sim;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.StreamRecord;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.FailureControl.SkippedChange;
import io.tunnel.wire.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What everybody in a world has done and was promised, seen from outside: frames on the wire, what
 * the log and the catalog keep, and what processors were given. Breaks when an invariant does.
 */
final class Ledger implements SimNetwork.Tap {

  /** How long after an operator's request has arrived it may take effect. */
  private static final long OPERATED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);

  private final World world;
  final TreeMap<Integer, PartitionTruth> partitions = new TreeMap<>();
  final TreeMap<String, ChannelTruth> channels = new TreeMap<>();
  final TreeMap<String, TunnelTruth> tunnels = new TreeMap<>();
  private final Map<SimConnection, Link> links = new HashMap<>();
  private final TreeMap<String, SessionTruth> sessions = new TreeMap<>();

  /** A worker and a channel for each callback that runs. */
  private final Set<String> callbacks = new HashSet<>();

  /** What is known of a connection: requests that wait for an answer, and channels by handle. */
  private static final class Link {
    private final Map<Integer, Request> requests = new HashMap<>();
    private final Map<Integer, Holding> holdings = new HashMap<>();

    /** Sessions whose workers have asked for their end. */
    private final Set<String> closing = new HashSet<>();
  }

  /**
   * A request that waits for its answer.
   *
   * @param acknowledged how far each partition was acknowledged when it arrived
   */
  private record Request(Frame frame, long arrivedNanos, Map<Integer, Long> acknowledged) {}

  private static final class SessionTruth {
    private final long leaseNanos;
    private long lastSignNanos;

    SessionTruth(long leaseNanos, long lastSignNanos) {
      this.leaseNanos = leaseNanos;
      this.lastSignNanos = lastSignNanos;
    }
  }

  Ledger(World world) {
    this.world = world;
  }

  static String epochText(long epoch) {
    return (epoch >>> 32) + "." + (epoch & 0xffffffffL);
  }

  PartitionTruth partition(int id) {
    return partitions.computeIfAbsent(id, PartitionTruth::new);
  }

  private Link link(SimConnection connection) {
    return links.computeIfAbsent(connection, any -> new Link());
  }

  private long now() {
    return world.agenda.nowNanos();
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
              new Request(frame, now(), RowAnswers.acknowledgedOf(partitions)));
      if (frame.operation() == Operation.HEARTBEAT) {
        SessionTruth session =
            sessions.get(Json.decode(frame.payload(), SessionId.class).sessionId());
        if (session != null) {
          session.lastSignNanos = now();
        }
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
        operated(seek.table(), seek.tunnel(), !seek.isDryRun());
      } else if (frame.operation() == Operation.END_SESSION) {
        EndSession end = Json.decode(frame.payload(), EndSession.class);
        operated(end.table(), end.tunnel(), false);
      } else if (frame.operation() == Operation.DELETE_TUNNEL) {
        TunnelName name = Json.decode(frame.payload(), TunnelName.class);
        operated(name.table(), name.tunnel(), false);
      } else if (frame.operation() == Operation.CLOSE_SESSION) {
        link(connection).holdings.values().forEach(each -> each.isGivenBack |= !each.hasEnded());
        link(connection).closing.add(Json.decode(frame.payload(), SessionId.class).sessionId());
      }
    } else if (frame.operation() == Operation.CREDIT) {
      Credit credit = Credit.decode(frame.payload());
      Holding holding = link(connection).holdings.get(credit.handle());
      if (holding != null && holding.epoch() == credit.epoch()) {
        holding.creditReceived(credit.bytes());
      }
    }
  }

  /** An operator does something to a tunnel that takes channels from their holders. */
  private void operated(String table, String name, boolean isSeek) {
    for (ChannelTruth channel : channels.values()) {
      if (channel.tunnel.info.table().equals(table) && channel.tunnel.info.tunnel().equals(name)) {
        channel.tunnel.operatedNanos = now();
        if (isSeek) {
          channel.tunnel.soughtNanos = now();
        }
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
      Holding holding = link(connection).holdings.get(credit.handle());
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
    Request request = link(connection).requests.remove(frame.correlationId());
    world.trace.add(text + " " + frame.correlationId());
    if (frame.kind() == FrameKind.RESPONSE && request != null) {
      answered(connection, request, frame);
    } else if (frame.kind() == FrameKind.ERROR) {
      world.refused(frame);
    }
  }

  private String pushed(SimConnection connection, Frame frame) {
    Link link = link(connection);
    switch (frame.operation()) {
      case ASSIGN -> {
        Assignment assignment = Json.decode(frame.payload(), Assignment.class);
        Holding holding =
            channel(assignment.channelId()).assigned(assignment, connection, world.serverNumber());
        link.holdings.put(assignment.handle(), holding);
        // The word of it left behind the worker's own, which gives back all that there is by then.
        holding.isGivenBack = link.closing.contains(assignment.sessionId());
        requireParents(holding);
        if (connection.isCut() || !connection.client().isOpen()) {
          holding.reasons.add(Holding.Reason.CONNECTION_LOST);
        }
        return " " + assignment.handle() + " " + holding + " at " + assignment.checkpointed();
      }
      case REVOKE -> {
        Revocation revocation = Json.decode(frame.payload(), Revocation.class);
        Holding holding = link.holdings.get(revocation.handle());
        if (holding != null) {
          holding.revokedNanos = now();
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
        Holding holding = link.holdings.get(delivery.handle());
        deliver(holding, delivery, frame.payload().length);
        return " " + delivery.handle() + " to " + holding.deliveredTo();
      }
      default -> {
        return "";
      }
    }
  }

  private void requireParents(Holding holding) {
    ChannelTruth channel = channel(holding.assignment.channelId());
    for (ChannelTruth other : channels.values()) {
      boolean isParent =
          other.tunnel == channel.tunnel
              && !channel.isBase
              && (other.isBase
                  ? other.partition == channel.partition
                  : world.parents(channel.partition.id).contains(other.partition.id));
      Invariant.WAITS_FOR_PARENTS.require(
          !isParent || other.isTerminated() || channel.tunnel.soughtNanos >= 0,
          "%s is assigned, and %s is not TERMINATED",
          holding,
          other.channelId);
    }
  }

  private void deliver(Holding holding, Delivery delivery, int bytes) {
    Invariant.ONE_OWNER.require(
        holding != null && holding.epoch() == delivery.epoch(),
        "something is delivered on handle %d under epoch %s, of which nothing was said",
        delivery.handle(),
        epochText(delivery.epoch()));
    ChannelTruth channel = channel(holding.assignment.channelId());
    PartitionTruth truth = channel.partition;
    world.learn();
    for (PartitionTruth.Change change : holding.deliver(delivery, bytes)) {
      long position = change.record().position();
      if (channel.isBase) {
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

  private ChannelTruth channel(String channelId) {
    ChannelTruth channel = channels.get(channelId);
    if (channel == null) {
      world.learnTunnels();
      channel = channels.get(channelId);
    }
    Invariant.NOTHING_BREAKS.require(channel != null, "there is no channel %s", channelId);
    return channel;
  }

  private void answered(SimConnection connection, Request request, Frame answer) {
    Frame asked = request.frame();
    switch (asked.operation()) {
      case WRITE -> {
        WriteRequest write = WriteRequest.decode(asked.payload());
        WriteResult result = WriteResult.decode(answer.payload());
        world.learn();
        PartitionTruth truth = partition(write.batch().partition());
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
        sessions.put(
            Json.decode(answer.payload(), SessionOpened.class).sessionId(),
            new SessionTruth(
                TimeUnit.MILLISECONDS.toNanos(open.leaseMs()), request.arrivedNanos()));
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
            epochText(checkpoint.epoch()));
        world.count(Happening.CHECKPOINTED);
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

  private void requireRow(GetRowRequest asked, ChangeBatch answer, Request request) {
    world.learn();
    PartitionTruth truth = partition(answer.partition());
    RowAnswers.requireRow(asked, answer, truth, request.acknowledged().get(truth.id));
    world.count(Happening.ROW_READ);
  }

  private void requirePage(RangeRequest asked, RangePage page, Request request) {
    world.learn();
    PartitionTruth truth = partition(page.rows().partition());
    RowAnswers.requirePage(asked, page, truth, request.acknowledged().get(truth.id));
    world.count(Happening.RANGE_READ);
  }

  /** Takes in a channel that is there. */
  void learn(TunnelInfo info, ChannelDescription view) {
    if (!channels.containsKey(view.channelId())) {
      TunnelTruth tunnel = tunnels.computeIfAbsent(info.tunnelId(), id -> new TunnelTruth(info));
      PartitionTruth partition = partition(view.partition());
      boolean isBase = view.type() == ChannelType.BaseData;
      info.startMs()
          .filter(ms -> !isBase)
          .ifPresent(ms -> partition.requireSplit(1, view.checkpointed(), ms, view.channelId()));
      channels.put(
          view.channelId(),
          new ChannelTruth(view.channelId(), tunnel, partition, isBase, view.checkpointed()));
    }
  }

  /** Compares what the server says of a channel with what was seen of it. */
  void look(ChannelDescription view) {
    ChannelTruth channel = channel(view.channelId());
    channel.seen(view.epoch(), view.owner().orElse(""));
    boolean isHeld = view.status() == ChannelStatus.OPEN || view.status() == ChannelStatus.CLOSING;
    for (Holding holding : channel.live()) {
      boolean isCurrent = isHeld && holding.epoch() == view.epoch();
      if (isCurrent) {
        if (view.status() == ChannelStatus.CLOSING && holding.closingNanos < 0) {
          holding.closingNanos = now();
        }
        Invariant.ONE_OWNER.require(
            view.owner().orElse("").equals(holding.assignment.sessionId()),
            "%s is said to be held by session %s",
            holding,
            view.owner().orElse("nobody"));
      } else if (view.epoch() >= holding.epoch()) {
        if (view.error().orElse("").startsWith(ErrorCode.HISTORY_LOST + "")) {
          holding.reasons.add(Holding.Reason.HISTORY_LOST);
        }
        ended(holding);
      }
    }
    if (view.checkpointed() != channel.checkpointed()) {
      moved(channel, view);
    }
    channel.terminated(view.status() == ChannelStatus.TERMINATED, view);
    if (channel.isTerminated()) {
      world.count(Happening.TERMINATED);
    }
    Invariant.WAITS_FOR_PARENTS.require(
        view.status() != ChannelStatus.OPEN || view.waitsFor().isEmpty(),
        "%s is held and waits for %s",
        view.channelId(),
        view.waitsFor());
  }

  private void moved(ChannelTruth channel, ChannelDescription view) {
    Holding holding = channel.holdings.get(view.epoch());
    world.trace.add(view.channelId() + " is checkpointed at " + view.checkpointed());
    if (holding != null && !holding.hasEnded()) {
      channel.checkpointed(view.checkpointed(), holding);
    } else if (world.isStarting() && channel.isTakenBackTo(view.checkpointed())) {
      world.count(Happening.CHECKPOINT_TAKEN_BACK);
      channel.checkpointed(view.checkpointed(), null);
    } else if (world.isStarting()
        && channel.isDoneByLast(view.checkpointed())
        && (channel.tunnel.soughtNanos < 0 || channel.firstMissing(view.checkpointed()) < 0)) {
      // It was stored, and then the server crashed.
      channel.checkpointed(view.checkpointed(), channel.holdings.lastEntry().getValue());
    } else {
      Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
          channel.tunnel.soughtNanos >= 0,
          "%s goes from %d to %d, and neither a holder nor an operator has moved it",
          channel.channelId,
          channel.checkpointed(),
          view.checkpointed());
      world.count(Happening.SOUGHT);
      channel.sought(view.checkpointed());
    }
  }

  /** The server has taken a channel from its holder: there must be a reason. */
  private void ended(Holding holding) {
    holding.endedNanos = now();
    if (holding.isGivenBack) {
      return;
    }
    SessionTruth session = sessions.get(holding.assignment.sessionId());
    if (session != null && now() - session.lastSignNanos >= session.leaseNanos) {
      holding.reasons.add(Holding.Reason.LEASE_ENDED);
      world.count(Happening.LEASE_ENDED);
    }
    TunnelTruth tunnel = channel(holding.assignment.channelId()).tunnel;
    if (now() - tunnel.operatedNanos < OPERATED_NANOS_MAX) {
      holding.reasons.add(Holding.Reason.OPERATOR);
    }
    long deadline = TimeUnit.MILLISECONDS.toNanos(SimServer.REVOKE_DEADLINE_MS);
    if (holding.closingNanos >= 0 && now() - holding.closingNanos >= deadline) {
      holding.reasons.add(Holding.Reason.DEADLINE_PASSED);
      world.count(Happening.DEADLINE_PASSED);
    }
    Invariant.NO_DUPLICATE_ON_GRACEFUL_MOVE.require(
        holding.mayRepeat(),
        "%s has ended, though the channel was neither given back nor lost for any reason",
        holding);
  }

  /** A connection is lost, on purpose or not: what lived on it may be repeated. */
  void lost(SimConnection connection, Holding.Reason reason) {
    for (Holding holding : link(connection).holdings.values()) {
      if (!holding.hasEnded() && !holding.isGivenBack) {
        holding.reasons.add(reason);
      }
    }
  }

  /** The server is no more. */
  void serverDied() {
    for (ChannelTruth channel : channels.values()) {
      for (Holding holding : channel.live()) {
        holding.reasons.add(Holding.Reason.SERVER_CRASHED);
        holding.endedNanos = now();
      }
    }
    links.clear();
    sessions.clear();
  }

  /** A processor is given changes. */
  Holding begin(SimWorker worker, ProcessRecordsInput input) {
    String[] parts = input.getTraceId().split("/", -1);
    ChannelTruth channel = channel(parts[0]);
    Holding holding = channel.holdings.get(Long.parseLong(parts[1]));
    Invariant.ONE_OWNER.require(holding != null, "%s: nobody holds that", input.getTraceId());
    List<StreamRecord> records = input.getRecords();
    long first = records.get(0).position();
    long last = records.get(records.size() - 1).position();
    world.trace.add(worker + " processes " + first + " to " + last + " of " + holding);
    holding.begin(first, last);
    long position = first;
    for (StreamRecord each : records) {
      Invariant.ORDER_PER_CHANNEL.require(
          each.position() == position, "%s: %d comes as %d", holding, each.position(), position);
      Invariant.NO_GAP.require(
          PartitionTruth.textOf(each).equals(holding.deliveredAt(position).text()),
          "%s: position %d is given as %s",
          holding,
          position,
          each);
      position++;
    }
    String running = worker + " " + channel.channelId;
    Invariant.ORDER_PER_CHANNEL.require(
        callbacks.add(running), "%s: two callbacks at once", running);
    holding.callback = running;
    return holding;
  }

  /** A policy leaves out what failed alone. */
  void skip(ProcessRecordsInput input) {
    String[] parts = input.getTraceId().split("/", -1);
    Holding holding = channel(parts[0]).holdings.get(Long.parseLong(parts[1]));
    long position = input.getRecords().get(0).position();
    world.trace.add(holding + " leaves out " + position);
    holding.skip(position);
  }

  /** The catalog has stored that a change was left out. */
  void skipped(String tunnelId, SkippedChange change) {
    String channelId = new ChannelKey(change.partition(), change.type()).channelId(tunnelId);
    channel(channelId).skipped(change.position());
    world.count(Happening.CHANGE_SKIPPED);
  }

  void failed(Holding holding) {
    callbacks.remove(holding.callback);
    holding.failed();
  }

  void finished(Holding holding) {
    callbacks.remove(holding.callback);
    if (holding.hasEnded()) {
      world.count(Happening.PROCESSED_BY_STALE_HOLDER);
    }
    long first = holding.finish();
    if (channel(holding.assignment.channelId()).finished(holding, first)) {
      world.count(Happening.PROCESSED_TWICE);
    }
  }

  /** Committed changes are gone. */
  void lost(PartitionTruth partition) {
    for (ChannelTruth channel : channels.values()) {
      if (channel.partition == partition) {
        channel.lost(partition.committed());
        channel.tunnel.hasLost = true;
      }
    }
  }

  /** All holdings that have not ended. */
  List<Holding> live() {
    List<Holding> live = new ArrayList<>();
    channels.values().forEach(channel -> live.addAll(channel.live()));
    return live;
  }
}
