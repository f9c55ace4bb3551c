package io.tunnel.it.sim.truth;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.model.ChannelStatus;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A stream channel of a tunnel: its holders, and its processed changes. */
public final class ChannelTruth {

  private static final int POSITIONS_MAX = 1 << 20;

  public final String channelId;
  public final TunnelTruth tunnel;
  public final PartitionTruth partition;
  final boolean isBase;
  final TreeMap<Long, Holding> holdings = new TreeMap<>();

  /** Positions that some processor has finished. */
  private final BitSet processed = new BitSet();

  /** Positions that nobody needs to process: before the start, or skipped by an operator. */
  private final BitSet excused = new BitSet();

  /** Positions that an operator wants to be processed again. */
  private final BitSet repeatable = new BitSet();

  private final Map<Long, Holding> finisher = new TreeMap<>();
  private final long start;
  private long checkpointed;
  private boolean isTerminated;
  private long seenEpoch;

  /** No epoch up to this one may be given; they were given before a restore. */
  private long givenEpoch;

  /** The greatest epoch since the last restore that does not fence; see {@link #restored}. */
  private long lastEpoch;

  private String seenOwner = "";

  /** When the server was seen to want it back from who holds it under {@link #seenEpoch}. */
  private long seenClosingNanos = -1;

  private Optional<String> seenError = Optional.empty();
  long twice;

  ChannelTruth(
      String channelId, TunnelTruth tunnel, PartitionTruth partition, boolean isBase, long start) {
    this.channelId = channelId;
    this.tunnel = tunnel;
    this.partition = partition;
    this.isBase = isBase;
    this.start = start;
    this.checkpointed = start;
    excused.set(0, (int) start + 1);
  }

  public long start() {
    return start;
  }

  public long checkpointed() {
    return checkpointed;
  }

  /** The channel is given to a session. */
  Holding assigned(Assignment assignment, SimConnection connection, int serverNumber) {
    Invariant.ONE_OWNER.require(
        !holdings.containsKey(assignment.epoch()),
        "%s is assigned to session %s, but was before to %s",
        channelId,
        assignment.sessionId(),
        holdings.get(assignment.epoch()));
    Invariant.IDS_STAY_UNIQUE.require(
        assignment.epoch() > givenEpoch,
        "%s is assigned under epoch %s, and epoch %s was given before the restore",
        channelId,
        Ledger.epochText(assignment.epoch()),
        Ledger.epochText(givenEpoch));
    lastEpoch = Math.max(lastEpoch, assignment.epoch());
    requireProcessed(assignment.checkpointed(), "is assigned behind");
    Holding holding = new Holding(assignment, connection, serverNumber);
    if (assignment.epoch() < seenEpoch
        || (assignment.epoch() == seenEpoch && seenOwner.isEmpty())) {
      // It was taken back before the word of it had left.
      holding.reasons.add(Holding.Reason.SUPERSEDED);
      holding.endedNanos = 0;
    }
    if (assignment.epoch() == seenEpoch) {
      // The word of it may leave long after the server has begun to wait for its return.
      holding.closingNanos = seenClosingNanos;
    }
    holdings.put(assignment.epoch(), holding);
    return holding;
  }

  /**
   * The server says who holds the channel; {@code owner} is empty when nobody does.
   *
   * @param isClosing whether the server wants it back
   */
  void seen(long epoch, String owner, boolean isClosing, long nowNanos) {
    Invariant.ONE_OWNER.require(
        epoch >= seenEpoch,
        "%s has epoch %s, but had %s",
        channelId,
        Ledger.epochText(epoch),
        Ledger.epochText(seenEpoch));
    Invariant.ONE_OWNER.require(
        owner.isEmpty() || owner.equals(seenOwner) || epoch > seenEpoch,
        "%s went from '%s' to session %s under the same epoch %s",
        channelId,
        seenOwner,
        owner,
        Ledger.epochText(epoch));
    if (epoch > seenEpoch) {
      seenClosingNanos = -1;
    }
    if (isClosing && seenClosingNanos < 0) {
      seenClosingNanos = nowNanos;
    }
    seenEpoch = epoch;
    seenOwner = owner;
  }

  /** Whether it is stopped now with an error that it did not have when it was looked at last. */
  boolean isNews(Optional<String> error) {
    boolean isNews = error.isPresent() && !error.equals(seenError);
    seenError = error;
    return isNews;
  }

  public boolean isTerminated() {
    return isTerminated;
  }

  /** The server reports the channel as terminated, or as open again. */
  void terminated(boolean isTerminatedNow, ChannelDescription view) {
    if (isTerminatedNow && !isTerminated) {
      Invariant.ENDED_MEANS_COMPLETE.require(
          view.end().isPresent()
              && view.end().get() == view.checkpointed()
              && firstMissing(view.checkpointed()) < 0,
          "%s is TERMINATED and has not processed %d: %s",
          channelId,
          firstMissing(view.checkpointed()),
          view);
    }
    isTerminated = isTerminatedNow;
  }

  private long last(long position) {
    return isBase ? position : Math.min(position, partition.committed());
  }

  void requireProcessed(long position, String what) {
    for (long each = 1; each <= last(position); each++) {
      Invariant.CHECKPOINT_ONLY_OF_PROCESSED.require(
          isDone(each),
          "%s %s %d, but no processor has finished %d",
          channelId,
          what,
          position,
          each);
    }
  }

  boolean isDone(long position) {
    return processed.get((int) position) || excused.get((int) position);
  }

  /** The first committed position up to {@code last} that nobody has processed, or -1. */
  public long firstMissing(long last) {
    for (long each = 1; each <= last(last); each++) {
      if (!isDone(each)) {
        return each;
      }
    }
    return -1;
  }

  /** Progress became durable; {@code holding} is null when it was not a worker who moved it. */
  public void checkpointed(long position, Holding holding) {
    if (holding != null) {
      Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
          position >= checkpointed,
          "%s: the checkpoint goes back from %d to %d",
          holding,
          checkpointed,
          position);
      Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
          position <= holding.deliveredTo(),
          "%s: a checkpoint at %d, but %d was delivered last",
          holding,
          position,
          holding.deliveredTo());
      excuseCounted(position, holding);
      requireProcessed(position, "is checkpointed at");
    }
    checkpointed = position;
  }

  /** What its holder has left out, and what was counted as left out without being named. */
  private void excuseCounted(long position, Holding holding) {
    for (long each = checkpointed + 1; each <= last(position); each++) {
      boolean isReported = atomicBatch(each).map(AtomicBatch::isLast).orElse(true);
      if (isReported && !isDone(each) && holding.hasSkipped(each) && tunnel.takeUnnamed()) {
        excuse(each);
      }
    }
  }

  /** Whether the checkpoint is where a start puts it whose log has lost changes. */
  boolean isTakenBackTo(long position) {
    return position < checkpointed && position == partition.committed();
  }

  /** Whether the last holder may have stored that. */
  boolean isDoneByLast(long position) {
    return position > checkpointed
        && !holdings.isEmpty()
        && position <= holdings.lastEntry().getValue().deliveredTo();
  }

  /** It is stored that a change was left out: some holder must have decided that. */
  void skipped(long position) {
    Invariant.CHECKPOINT_ONLY_OF_PROCESSED.require(
        holdings.values().stream().anyMatch(each -> each.hasSkipped(position)),
        "%s: position %d is stored as left out, which nobody has decided",
        channelId,
        position);
    excuse(position);
  }

  /** A change was left out, and with the last one of an atomic batch all of the batch. */
  private void excuse(long position) {
    long first = position - atomicBatch(position).map(AtomicBatch::index).orElse(0);
    excused.set((int) first, (int) position + 1);
    tunnel.hasSkipped = true;
  }

  private Optional<AtomicBatch> atomicBatch(long position) {
    boolean isKnown = !isBase && position > 0 && position <= partition.committed();
    return isKnown ? partition.at(position).record().atomicBatch() : Optional.empty();
  }

  /** An operator moved the channel. */
  void sought(long position) {
    long missing = firstMissing(position);
    tunnel.hasSkipped |= missing >= 0 || position > checkpointed;
    excused.set(0, (int) Math.min(POSITIONS_MAX, position + 1));
    repeatable.set((int) Math.min(POSITIONS_MAX, position + 1), POSITIONS_MAX);
    holdings.values().forEach(each -> each.reasons.add(Holding.Reason.OPERATOR));
    checkpointed = position;
  }

  /**
   * Somebody has finished what a callback was given. Returns whether any of it was a repetition.
   */
  boolean finished(Holding holding, long first) {
    boolean isRepetition = false;
    for (long each = first; each <= holding.finished(); each++) {
      if (!isBase
          && (each > partition.committed()
              || !partition.at(each).text().equals(holding.deliveredAt(each).text()))) {
        continue;
      }
      if (!holding.hasEnded()) {
        tunnel.fold(partition.id).apply(holding.deliveredAt(each).record());
      }
      Holding before = finisher.put(each, holding);
      if (before != null) {
        isRepetition = true;
        twice++;
        Invariant.NO_DUPLICATE_ON_GRACEFUL_MOVE.require(
            before.mayRepeat()
                || holding.mayRepeat()
                || repeatable.get((int) each)
                // A checkpoint inside a delivery of rows is one in front of that delivery.
                || (isBase && before.isOfUnfinishedDelivery(each)),
            "%s processed %d, which %s had processed and not lost for any reason",
            holding,
            each,
            before);
      }
      processed.set((int) each);
    }
    return isRepetition;
  }

  /** Changes behind this position are lost, and so is their processing. */
  void lost(long committed) {
    if (isBase) {
      return;
    }
    processed.clear((int) committed + 1, POSITIONS_MAX);
    excused.clear((int) committed + 1, POSITIONS_MAX);
    finisher.keySet().removeIf(position -> position > committed);
  }

  /**
   * The server is a restored one: the channel is where it was when the backup was taken, and
   * everything behind that comes again.
   *
   * @param fences true when the server of the backup gave all earlier epochs: the restored server
   *     gives higher epochs then. Two servers that were restored from one backup give different
   *     epochs in any order
   */
  void restored(ChannelDescription view, boolean fences) {
    givenEpoch = fences ? Math.max(seenEpoch, lastEpoch) : 0;
    lastEpoch = givenEpoch;
    seenEpoch = view.epoch();
    seenOwner = "";
    seenClosingNanos = -1;
    seenError = view.error();
    holdings.values().forEach(each -> each.reasons.add(Holding.Reason.SERVER_CRASHED));
    checkpointed = view.checkpointed();
    isTerminated = view.status() == ChannelStatus.TERMINATED;
    if (!isBase) {
      excused.set(0, (int) checkpointed + 1);
      lost(checkpointed);
    }
  }

  /** The holding that was current last. */
  List<Holding> live() {
    List<Holding> live = new ArrayList<>();
    for (Holding each : holdings.descendingMap().values()) {
      if (!each.hasEnded()) {
        live.add(each);
      }
    }
    return live;
  }
}
