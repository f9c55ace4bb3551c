package io.tunnel.it.sim.truth;

import io.tunnel.it.sim.Happening;
import io.tunnel.it.sim.SimReading;
import io.tunnel.it.sim.World;
import io.tunnel.it.sim.machine.WireLink;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the answers of a server and its refusals say, compared with the ledger. */
final class WireAnswers {

  private static final Set<Operation> OF_ROWS =
      EnumSet.of(Operation.WRITE, Operation.GET_ROW, Operation.GET_ROWS, Operation.GET_RANGE);

  private final World world;
  private final Ledger ledger;
  private final NumberedTruth numbered = new NumberedTruth();
  private Optional<SimReading> reading = Optional.empty();

  WireAnswers(World world, Ledger ledger) {
    this.world = world;
    this.ledger = ledger;
  }

  /** Somebody reads without a tunnel. */
  void reading(Optional<SimReading> who) {
    reading = who;
  }

  static boolean isCheckpoint(Frame frame) {
    return frame.operation() == Operation.CHECKPOINT
        || frame.operation() == Operation.CHECKPOINT_SKIPPING;
  }

  static Checkpoint checkpoint(Frame frame) {
    return frame.operation() == Operation.CHECKPOINT
        ? Checkpoint.decode(frame.payload())
        : Json.decode(frame.payload(), SkippingCheckpoint.class).checkpoint();
  }

  /** What was answered to writers that number. */
  NumberedTruth numbered() {
    return numbered;
  }

  /** How far each partition is acknowledged when that is asked for, if it is of rows. */
  Map<Integer, Long> acknowledgedFor(Operation operation) {
    return OF_ROWS.contains(operation) ? RowAnswers.acknowledgedOf(ledger.partitions) : Map.of();
  }

  private void rejected(ErrorCode code) {
    if (code == ErrorCode.BATCH_REFUSED) {
      world.count(Happening.ATOMIC_REFUSED);
      return;
    }
    world.count(
        code == ErrorCode.CONDITION_FAILED ? Happening.ROW_REJECTED : Happening.INCREMENT_REJECTED);
  }

  /** The server has done what it was asked for. */
  void answered(WireLink link, WireLink.Request request, Frame answer) {
    Frame asked = request.frame();
    switch (asked.operation()) {
      case WRITE -> {
        WriteResult result = WriteResult.decode(answer.payload());
        WriteRequest write =
            ChosenNumbers.chosen(WriteRequest.decode(asked.payload()), result.firstNumber());
        world.machine.learn();
        PartitionTruth truth = ledger.partition(write.batch().partition());
        if (isDropped(truth, request)) {
          return;
        }
        RowAnswers.requireWritten(write, result, moments(truth, numbered.first(write, request)));
        numbered.answered(write, result, world.machine.serverNumber());
        boolean isSynced = write.durability().orElse(Durability.FSYNC) == Durability.FSYNC;
        truth.acknowledged(result.firstPosition() + result.appliedRows() - 1, isSynced);
        result.rejections().forEach(each -> rejected(each.code()));
        if (write.batch().isAtomic() && result.appliedRows() > 0) {
          world.count(Happening.ATOMIC_APPLIED);
        }
        if (Sums.isAskedFor(write.batch()) && result.appliedRows() > 0) {
          world.count(Happening.INCREMENT_ANSWERED);
        }
        world.count(isSynced ? Happening.WRITE_SYNCED : Happening.WRITE_UNSYNCED);
      }
      case GET_ROW -> {
        GetRowRequest get = GetRowRequest.decode(asked.payload());
        requireRows(List.of(get.key()), get.terms(), RowPage.decode(answer.payload()), request);
        world.count(Happening.ROW_READ);
      }
      case GET_ROWS -> {
        GetRowsRequest get = GetRowsRequest.decode(asked.payload());
        requireRows(get.keys(), get.terms(), RowPage.decode(answer.payload()), request);
        world.count(Happening.ROWS_READ);
      }
      case GET_RANGE ->
          requirePage(
              RangeRequest.decode(asked.payload()), RowPage.decode(answer.payload()), request);
      case OPEN_SESSION -> {
        OpenSession open = Json.decode(asked.payload(), OpenSession.class);
        ledger.opened(
            Json.decode(answer.payload(), SessionOpened.class).sessionId(),
            TimeUnit.MILLISECONDS.toNanos(open.leaseMs()),
            request.arrivedNanos());
      }
      case CHECKPOINT, CHECKPOINT_SKIPPING -> {
        Checkpoint checkpoint = checkpoint(asked);
        Holding holding = link.holdings.get(checkpoint.handle());
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
      case ATTACH -> attached(link, asked, answer);
      case READ_PARTITION -> {
        ReadPartition read = Json.decode(asked.payload(), ReadPartition.class);
        int handle = Json.decode(answer.payload(), Attached.class).handle();
        link.reads.put(handle, new WireLink.Read(read.partition(), read.position()));
        world.machine.learn();
        reading.orElseThrow().requireThere(read);
      }
      case CLOSE_ROW_SESSION -> {
        long session = Json.decode(asked.payload(), RowSessionControl.Named.class).sessionId();
        world.machine.learn();
        ledger.existing().forEach(each -> each.requireClosed(session));
      }
      case WATCH -> link.watched.add(Json.decode(answer.payload(), Attached.class).handle());
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
  private static void attached(WireLink link, Frame asked, Frame answer) {
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

  /** Whether the table was dropped before the request, which must then be refused. */
  private boolean isDropped(PartitionTruth partition, WireLink.Request request) {
    TableTruth table = ledger.tableOf(partition.id);
    Invariant.DROPPED_IS_GONE.require(
        !table.wasDropped(request.arrivedNanos()),
        "%s came when table %s was dropped, and was done",
        request.frame().operation(),
        table.name);
    return table.isDropped();
  }

  /** From the arrival of a request to now. */
  private Moments moments(PartitionTruth truth, WireLink.Request request) {
    return new Moments(
        truth,
        request.acknowledged().getOrDefault(truth.id, 0L),
        world.machine.lowestMicrosSince(request.arrivedNanos()),
        world.machine.latestMicros());
  }

  private void requireRows(
      List<Bytes> keys, ReadTerms terms, RowPage answer, WireLink.Request request) {
    world.machine.learn();
    PartitionTruth truth = ledger.partition(answer.rows().partition());
    if (!isDropped(truth, request)) {
      RowAnswers.requireRows(keys, terms, answer, moments(truth, request));
    }
  }

  private void requirePage(RangeRequest asked, RowPage page, WireLink.Request request) {
    world.machine.learn();
    PartitionTruth truth = ledger.partition(page.rows().partition());
    if (!isDropped(truth, request)) {
      RowAnswers.requirePage(asked, page, moments(truth, request));
      world.count(Happening.RANGE_READ);
      if (asked.terms().selection().condition().isPresent() && page.looked().rows() > 0) {
        world.count(
            page.rows().rowCount() == 0 ? Happening.PAGE_WITHOUT_MATCHES : Happening.PAGE_FILTERED);
      }
    }
  }

  /** The server refused something. */
  void refused(Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    world.trace.add("refused as " + error.code() + ": " + error.message());
    switch (error.code()) {
      case FENCED -> world.count(Happening.FENCED);
      case WRITER_ENDED -> world.count(Happening.WRITER_ENDED);
      case INVALID_REQUEST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.CREATE_TUNNEL
                  || frame.operation() == Operation.SEEK
                  // What was done already, and is asked for again because its answer was lost.
                  || (frame.operation() != null && frame.operation().right() == Right.ADMIN),
              "%s: %s",
              frame.operation(),
              error.message());
      case HISTORY_LOST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.SEEK
                  || frame.operation() == Operation.CREATE_TUNNEL
                  || frame.operation() == Operation.READ_PARTITION
                  || frame.operation() == Operation.WATCH
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

  /** What was asked for is refused because its position was replaced. */
  void replaced(WireLink.Request request) {
    ReadPartition asked = Json.decode(request.frame().payload(), ReadPartition.class);
    reading.orElseThrow().requireLost(asked);
  }
}
