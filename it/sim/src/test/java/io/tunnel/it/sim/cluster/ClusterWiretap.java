package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WriterNumber;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.model.ChannelType;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.Watch;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Sees every frame of a cluster, and tells the truth what it means. */
final class ClusterWiretap implements SimNetwork.Tap {

  /** Each leader answers a batch as the leaders before it did. */
  private static final int ANY_SERVER = 0;

  private final ClusterWorld world;
  private final ClusterTruth truth;
  private final ReaderTruth readers;
  private final Map<SimConnection, Attached> attached = new HashMap<>();
  private final NumberedTruth numbered = new NumberedTruth();

  /** Who is attached to what on a connection. */
  private static final class Attached {
    /** Requests of watches for rows, and the handles of their answers. */
    private final Set<Integer> rowsAsked = new HashSet<>();

    private final Set<Integer> rows = new HashSet<>();

    private final Map<Integer, String> asked = new HashMap<>();

    /** Writes without an answer, by request. */
    private final Map<Integer, WriteRequest> writes = new HashMap<>();

    private final Map<Integer, String> channelByHandle = new HashMap<>();

    /** Row sessions that are to be closed, by request. */
    private final Map<Integer, Long> closes = new HashMap<>();
  }

  ClusterWiretap(ClusterWorld world, ClusterTruth truth) {
    this.world = world;
    this.truth = truth;
    this.readers = new ReaderTruth(world);
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    boolean isServer = connection.isServer(from);
    world.trace.add(
        connection + (isServer ? " < " : " > ") + frame.kind() + " " + frame.operation());
    if (!isServer) {
      readers.asked(connection, frame);
      if (frame.operation() == Operation.WRITE) {
        writes(connection, frame);
      }
      if (frame.operation() == Operation.ATTACH) {
        Attach attach = Json.decode(frame.payload(), Attach.class);
        attached(connection).asked.put(frame.correlationId(), attach.channelId());
      }
      if (frame.operation() == Operation.CREATE_TUNNEL) {
        truth.asked(Json.decode(frame.payload(), Control.CreateTunnel.class).tunnel());
      }
      if (frame.operation() == Operation.CLOSE_ROW_SESSION) {
        long session = Json.decode(frame.payload(), RowSessionControl.Named.class).sessionId();
        attached(connection).closes.put(frame.correlationId(), session);
      }
      if (frame.operation() == Operation.WATCH) {
        Watch watch = Json.decode(frame.payload(), Watch.class);
        if (watch.read().type() == ChannelType.BaseData) {
          attached(connection).rowsAsked.add(frame.correlationId());
        }
      }
      return;
    }
    readers.answered(connection, frame);
    if (frame.operation() == Operation.WRITE) {
      answered(connection, frame);
    }
    if (frame.operation() == Operation.CLOSE_ROW_SESSION && frame.kind() == FrameKind.RESPONSE) {
      truth.closed(attached(connection).closes.get(frame.correlationId()));
    }
    if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.ASSIGN) {
      truth.assigned(Json.decode(frame.payload(), Assignment.class));
      world.count(ClusterHappening.ASSIGNED);
    } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.DELIVER) {
      delivered(connection, Delivery.decode(frame.payload()));
    } else if (frame.kind() == FrameKind.RESPONSE && frame.operation() == Operation.ATTACH) {
      int handle = Json.decode(frame.payload(), ClusterControl.Attached.class).handle();
      Attached here = attached(connection);
      here.channelByHandle.put(handle, here.asked.get(frame.correlationId()));
      world.count(ClusterHappening.ATTACHED);
    } else if (frame.kind() == FrameKind.RESPONSE && frame.operation() == Operation.WATCH) {
      Attached here = attached(connection);
      if (here.rowsAsked.remove(frame.correlationId())) {
        here.rows.add(Json.decode(frame.payload(), ClusterControl.Attached.class).handle());
      }
    } else if (frame.kind() == FrameKind.RESPONSE && ReadTruth.isRead(frame.operation())) {
      truth.reads().answered(connection, frame);
    } else if (frame.kind() == FrameKind.ERROR) {
      refused(frame);
    }
  }

  private void writes(SimConnection connection, Frame frame) {
    truth.written().sent(connection, frame);
    attached(connection).writes.put(frame.correlationId(), WriteRequest.decode(frame.payload()));
    world.maybeLate(connection);
  }

  /** A write is answered: its rows count, and a repeated batch gets the first answer. */
  private void answered(SimConnection connection, Frame frame) {
    truth.written().said(connection, frame);
    WriteRequest write = attached(connection).writes.remove(frame.correlationId());
    if (write == null || frame.kind() != FrameKind.RESPONSE) {
      world.count(ClusterHappening.WRITE_REFUSED);
      return;
    }
    WriteResult result = WriteResult.decode(frame.payload());
    world.count(ClusterHappening.WRITE_ACKNOWLEDGED);
    world.trace.add("batch of partition " + write.batch().partition() + ": " + result);
    truth.acknowledged(write, result);
    if (WriterNumber.of(write.batch()).isPresent()) {
      world.count(ClusterHappening.BATCH_ANSWERED);
      if (result.rejections().stream().anyMatch(each -> each.code().retriable())) {
        world.count(ClusterHappening.BATCH_APPLIED_IN_PART);
      }
      if (!world.isTorn) {
        numbered.answered(write, result, ANY_SERVER);
      }
    }
  }

  private Attached attached(SimConnection connection) {
    return attached.computeIfAbsent(connection, any -> new Attached());
  }

  private void refused(Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    world.trace.add("refused as " + error.code() + ": " + error.message());
    switch (error.code()) {
      case NOT_LEADER -> world.count(ClusterHappening.NOT_LEADER);
      case WRITER_ENDED -> world.count(ClusterHappening.WRITER_ENDED);
      case INTERNAL, CORRUPT, INVALID_CHECKPOINT ->
          throw Invariant.NOTHING_BREAKS.broken("%s: %s", error.code(), error.message());
      case HISTORY_LOST -> {
        int partition = TrimTruth.partition(error.message());
        if (partition >= 0) {
          truth.log(partition).trims().requireLost(error.message());
        }
      }
      default -> {
        // As it may be.
      }
    }
  }

  private void delivered(SimConnection connection, Delivery delivery) {
    readers.delivered(connection, delivery.handle());
    String id = attached(connection).channelByHandle.get(delivery.handle());
    BaseStory base = id == null ? null : truth.base(id);
    if (base != null) {
      world.count(ClusterHappening.ROWS_DELIVERED);
      for (ChangeBatch batch : delivery.batches()) {
        truth.log(batch.partition());
        boolean isOfOneMoment =
            base.delivered(PartitionTruth.changesOf(batch).stream().map(Change::record).toList());
        if (isOfOneMoment) {
          world.count(ClusterHappening.BASE_OF_ONE_MOMENT);
        }
      }
      return;
    }
    if (attached(connection).rows.contains(delivery.handle())) {
      // Rows of a watch have numbers and no positions; their watcher judges them.
      return;
    }
    for (ChangeBatch batch : delivery.batches()) {
      LogTruth log = truth.log(batch.partition());
      for (Change change : PartitionTruth.changesOf(batch)) {
        long position = change.record().position();
        Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
            log.at(position).filter(one -> one.text().equals(change.text())).isPresent(),
            "%s: position %d of partition %d is delivered as %s and does not count",
            connection,
            position,
            batch.partition(),
            change.text());
      }
    }
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    if (!connection.isServer(to) && frame.operation() == Operation.WRITE) {
      truth.written().answered(connection, frame);
    }
    if (frame.kind() == FrameKind.REQUEST && ReadTruth.isRead(frame.operation())) {
      truth.reads().arrived(connection, frame);
    }
  }

  @Override
  public void swallowed(SimConnection connection, SimSocket from, Frame frame) {
    if (!connection.isServer(from) && frame.operation() == Operation.WRITE) {
      truth.written().sent(connection, frame);
    }
  }
}
