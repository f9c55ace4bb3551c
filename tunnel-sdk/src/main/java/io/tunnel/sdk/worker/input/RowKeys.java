package io.tunnel.sdk.worker.input;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The keys of rows up to which a base channel was delivered and may be checkpointed: with them the
 * next holder goes on, for whom nobody has numbered the rows. Of other channels nothing is kept.
 *
 * <p>Keys are kept of the last row of each input, and of each part that an input is divided in. A
 * checkpoint inside an input carries the key of the last row before it of which it is known: if the
 * channel moves just then, the rows between are delivered again. Where there is no row before, no
 * checkpoint can be stored but at the end of an input.
 */
public final class RowKeys {

  /** Inputs whose keys are kept at most; of the first one always. */
  public static final int KEYS_MAX = 1_024;

  private final boolean isKept;
  private final TreeMap<Long, Bytes> given = new TreeMap<>();
  private Bytes received;

  /** What stands in the place of a key in checkpoints of changes. */
  private Bytes seenIn = Bytes.EMPTY;

  public RowKeys(Assignment assignment) {
    this.isKept = assignment.type() == ChannelType.BaseData;
    this.received = assignment.key();
    given.put(assignment.checkpointed(), assignment.key());
  }

  public void received(Delivery delivery) {
    if (isKept) {
      received = lastKey(delivery);
    }
  }

  /** The key of the last row that was delivered; empty before the first. */
  public Bytes received() {
    return received;
  }

  /** An input of those deliveries is given to the processor. */
  public void given(List<Delivery> deliveries, long position) {
    if (isKept) {
      put(position, lastKey(deliveries.get(deliveries.size() - 1)));
    }
  }

  /** A part of an input ends with that record. */
  public void reached(StreamRecord record) {
    if (isKept) {
      put(record.position(), record.encodedKey());
    }
  }

  private void put(long position, Bytes key) {
    given.put(position, key);
    if (given.size() > KEYS_MAX) {
      long kept = given.firstKey();
      // Where no row stands before, the first that is known is all that is known of the next ones.
      kept = given.get(kept).length() == 0 ? given.higherKey(kept) : kept;
      given.remove(given.higherKey(kept));
    }
  }

  /** Whether a checkpoint at that position can say a row's key, if it has to. */
  public boolean isKnownAt(long position) {
    return !isKept || position <= given.firstKey() || at(position).length() > 0;
  }

  /** Changes up to the last that was received are of that incarnation, if it is known. */
  public void seenIn(Optional<Long> incarnation) {
    seenIn = Checkpoint.rest(incarnation);
  }

  /**
   * The key of the row at that position, or of the last before it of which it is known; of changes
   * their incarnation.
   */
  public Bytes at(long position) {
    if (!isKept && seenIn.length() > 0) {
      return seenIn;
    }
    return given.floorEntry(position).getValue();
  }

  /** No checkpoint will lie before {@code position}. */
  public void forgetBefore(long position) {
    given.headMap(given.floorKey(position), false).clear();
  }

  private static Bytes lastKey(Delivery delivery) {
    List<ChangeBatch> batches = delivery.batches();
    ChangeBatch last = batches.get(batches.size() - 1);
    Bytes key = Bytes.EMPTY;
    RowCursor row = last.rows();
    int left = last.rowCount();
    while (row.next()) {
      left--;
      if (left == 0) {
        key = Bytes.copyOf(last.array(), row.keyOffset(), row.keyBytes());
      }
    }
    return key;
  }
}
