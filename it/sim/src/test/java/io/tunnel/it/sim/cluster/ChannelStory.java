package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** A channel of a tunnel: holders, processed changes, and checkpoint. */
final class ChannelStory {

  private final String name;
  private final LogTruth log;
  private final RowFold fold;
  private final TreeMap<Long, Held> heldByEpoch = new TreeMap<>();
  private final TreeMap<Long, Held> finisher = new TreeMap<>();
  private long excusedTo;
  private long stored;
  private boolean isSought;
  private boolean isDeleted;

  /** A channel in the hands of one session. */
  static final class Held {
    private final String text;
    private final long epoch;
    private final long disturbances;
    private final long assignedAt;
    private long finished;
    private long given;
    private boolean isBusy;

    Held(String text, long epoch, long assignedAt, long disturbances) {
      this.text = text;
      this.epoch = epoch;
      this.disturbances = disturbances;
      this.assignedAt = assignedAt;
      this.finished = assignedAt;
      this.given = assignedAt;
    }

    /** Of another coordinator: the channel moved with its group, as after a lost connection. */
    boolean isOfAnother(Held other) {
      return epoch >>> Integer.SIZE != other.epoch >>> Integer.SIZE;
    }

    @Override
    public String toString() {
      return text + " (from " + assignedAt + ", finished " + finished + ")";
    }
  }

  /**
   * A channel that begins behind a position; {@code fold} has the rows that result from the
   * processed changes.
   */
  ChannelStory(String name, LogTruth log, RowFold fold, long start) {
    this.name = name;
    this.log = log;
    this.fold = fold;
    this.excusedTo = start;
    this.stored = start;
  }

  LogTruth log() {
    return log;
  }

  long stored() {
    return stored;
  }

  void soughtIf(boolean isOfTunnel) {
    isSought |= isOfTunnel;
  }

  boolean isSought() {
    return isSought;
  }

  void deleted() {
    isDeleted = true;
  }

  boolean isDeleted() {
    return isDeleted;
  }

  /** The first change that counts up to {@code last}, and that nobody has processed. */
  Optional<Long> firstMissing(long last) {
    return log.between(excusedTo + 1, last).keySet().stream()
        .filter(position -> !finisher.containsKey(position))
        .findFirst();
  }

  private void requireDone(long position, String what) {
    Optional<Long> missing = firstMissing(position);
    Invariant.CHECKPOINT_ONLY_OF_PROCESSED.require(
        missing.isEmpty(),
        "%s %s %d, but no processor has finished %s",
        name,
        what,
        position,
        missing);
  }

  void assigned(long epoch, String session, long checkpointed, long disturbances) {
    Invariant.ONE_OWNER.require(
        !heldByEpoch.containsKey(epoch), "%s is assigned twice under epoch %d", name, epoch);
    if (!isSought) {
      requireDone(checkpointed, "is assigned behind");
    }
    heldByEpoch.put(
        epoch,
        new Held(name + " under " + epoch + " of " + session, epoch, checkpointed, disturbances));
  }

  /** A processor is called. */
  Held begin(long epoch, List<StreamRecord> records) {
    Held held = heldByEpoch.get(epoch);
    Invariant.ONE_OWNER.require(held != null, "%s: nobody holds it under %d", name, epoch);
    Invariant.ORDER_PER_CHANNEL.require(!held.isBusy, "%s: two callbacks at once", held);
    long last = held.finished;
    for (StreamRecord record : records) {
      long position = record.position();
      Optional<Long> next = log.after(last);
      Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
          log.at(position).isPresent(), "%s: position %d does not count", held, position);
      Invariant.NO_GAP.require(
          next.filter(expected -> expected == position).isPresent(),
          "%s: behind %d comes %d instead of %s",
          held,
          last,
          position,
          next);
      Invariant.NO_GAP.require(
          log.at(position).orElseThrow().text().equals(PartitionTruth.textOf(record)),
          "%s: position %d is given as %s",
          held,
          position,
          record);
      last = position;
    }
    held.isBusy = true;
    held.given = last;
    return held;
  }

  /** A processor has ended well. Returns whether it did something again. */
  boolean finished(Held held, long disturbances) {
    boolean isAgain = false;
    for (long position : log.between(held.finished + 1, held.given).keySet()) {
      Held before = finisher.put(position, held);
      if (before != null) {
        isAgain = true;
        Invariant.NO_DUPLICATE_ON_GRACEFUL_MOVE.require(
            before != held
                && (isSought
                    || held.isOfAnother(before)
                    || disturbances > Math.min(held.disturbances, before.disturbances)),
            "%s processed %d, which %s had, and nothing has gone wrong since",
            held,
            position,
            before);
      }
      if (heldByEpoch.lastKey() == held.epoch) {
        log.at(position).ifPresent(change -> fold.apply(change.record()));
      }
    }
    held.isBusy = false;
    held.finished = held.given;
    return isAgain;
  }

  void failed(Held held) {
    held.isBusy = false;
    held.given = held.finished;
  }

  /** Progress is durable. */
  void checkpointed(long position) {
    if (isSought && (position < stored || firstMissing(position).isPresent())) {
      excusedTo = position;
    } else {
      Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
          position >= stored, "%s: the checkpoint goes back from %d to %d", name, stored, position);
      requireDone(position, "is checkpointed at");
    }
    stored = position;
  }

  /** Whether nothing is left to do. */
  boolean isDone() {
    return isDeleted || (stored >= log.last() && firstMissing(log.last()).isEmpty());
  }

  void requireDone(long seconds) {
    Optional<Long> missing = firstMissing(log.last());
    Invariant.EVERY_ACKNOWLEDGED_CHANGE_DELIVERED.require(
        isDeleted || missing.isEmpty(),
        "%d s after the last fault, %s has not processed %s of %d",
        seconds,
        name,
        missing,
        log.last());
    Invariant.LIVENESS.require(
        isDone(), "%s is checkpointed at %d of %d", name, stored, log.last());
  }

  @Override
  public String toString() {
    return name + " at " + stored + " of " + log.last();
  }
}
