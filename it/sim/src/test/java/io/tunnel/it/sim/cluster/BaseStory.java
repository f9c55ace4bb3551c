package io.tunnel.it.sim.cluster;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A base channel: its holders, the rows given to processors, and its checkpoint. Positions number
 * rows, and a position may have different rows in two holdings, because a channel reads the rows of
 * the present.
 */
final class BaseStory {

  private final String name;
  private final LogTruth log;
  private final RowFold fold;
  private final long since;
  private final Optional<PinTruth> pin;
  private final TreeMap<Long, Held> heldByEpoch = new TreeMap<>();
  private long stored;
  private long finishedMax;
  private boolean isSought;
  private boolean isTerminated;

  /** A channel in the hands of one session. */
  static final class Held {
    private final String text;
    private final long epoch;
    private final long assignedAt;
    private long finished;
    private Bytes lastKey = Bytes.EMPTY;
    private List<StreamRecord> given = List.of();
    private boolean isBusy;

    Held(String text, long epoch, long assignedAt) {
      this.text = text;
      this.epoch = epoch;
      this.assignedAt = assignedAt;
      this.finished = assignedAt;
    }

    @Override
    public String toString() {
      return text + " (from " + assignedAt + ", finished " + finished + ")";
    }
  }

  /**
   * A channel without a holder so far.
   *
   * @param fold the rows that result from applying the inputs of the tunnel's processors
   * @param since the end of the log when the tunnel was created
   * @param pin the rows that are kept for the channel
   */
  BaseStory(String name, LogTruth log, RowFold fold, long since, Optional<PinTruth> pin) {
    this.name = name;
    this.log = log;
    this.fold = fold;
    this.since = since;
    this.pin = pin;
  }

  void soughtIf(boolean isOfTunnel) {
    isSought |= isOfTunnel;
  }

  boolean isTerminated() {
    return isTerminated;
  }

  /** It is stored whether all is done. */
  void terminated(boolean isTerminatedNow) {
    isTerminated = isTerminatedNow;
  }

  void assigned(long epoch, String session, long checkpointed) {
    Invariant.ONE_OWNER.require(
        !heldByEpoch.containsKey(epoch), "%s is assigned twice under epoch %d", name, epoch);
    heldByEpoch.put(
        epoch, new Held(name + " under " + epoch + " of " + session, epoch, checkpointed));
  }

  /**
   * Rows are sent: each must be as it was at some moment since the tunnel was created. Returns
   * whether they must be the rows of one moment.
   */
  boolean delivered(List<StreamRecord> rows) {
    for (StreamRecord row : rows) {
      Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
          log.wasSince(since, row),
          "%s: %s is delivered, which that row never was since position %d",
          name,
          row,
          since);
    }
    return !isSought && pin.filter(kept -> kept.delivered(rows)).isPresent();
  }

  /** A processor is called. */
  Held begin(long epoch, List<StreamRecord> records) {
    Held held = heldByEpoch.get(epoch);
    Invariant.ONE_OWNER.require(held != null, "%s: nobody holds it under %d", name, epoch);
    Invariant.ORDER_PER_CHANNEL.require(!held.isBusy, "%s: two callbacks at once", held);
    long position = held.finished;
    Bytes lastKey = held.lastKey;
    for (StreamRecord record : records) {
      position++;
      Invariant.NO_GAP.require(
          record.position() == position,
          "%s: behind %d comes %d",
          held,
          position - 1,
          record.position());
      Bytes key = KeyCodec.encode(record.getPrimaryKey(), RowFold.SCHEMA);
      Invariant.ORDER_PER_CHANNEL.require(
          key.compareTo(lastKey) > 0, "%s: behind the row %s comes %s", held, lastKey, key);
      lastKey = key;
      if (!isSought) {
        pin.ifPresent(kept -> kept.given(record, key));
      }
    }
    held.isBusy = true;
    held.given = records;
    return held;
  }

  /** A processor has ended well; what a former holder does counts for nothing. */
  void finished(Held held) {
    held.isBusy = false;
    held.finished += held.given.size();
    StreamRecord last = held.given.get(held.given.size() - 1);
    held.lastKey = KeyCodec.encode(last.getPrimaryKey(), RowFold.SCHEMA);
    finishedMax = Math.max(finishedMax, held.finished);
    if (heldByEpoch.lastKey() == held.epoch) {
      held.given.forEach(fold::apply);
    }
  }

  void failed(Held held) {
    held.isBusy = false;
  }

  /** Progress is durable. */
  void checkpointed(long position) {
    Invariant.NO_CHECKPOINT_BEYOND_DELIVERED.require(
        isSought || position >= stored,
        "%s: the checkpoint goes back from %d to %d",
        name,
        stored,
        position);
    Invariant.CHECKPOINT_ONLY_OF_PROCESSED.require(
        position <= finishedMax,
        "%s is checkpointed at %d, and only %d rows were processed",
        name,
        position,
        finishedMax);
    stored = position;
  }

  @Override
  public String toString() {
    return name + " at " + stored + (isTerminated ? ", TERMINATED" : "");
  }
}
