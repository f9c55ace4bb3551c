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
 * The row keys of a base channel at positions where it may be checkpointed. The next holder resumes
 * behind a key, because servers do not number the rows. Other channels keep no keys.
 *
 * <p>The class keeps the key of the last row of each input, and of each part of an input. A
 * checkpoint inside an input carries the last known key before its position: if the channel moves,
 * the rows between are delivered again. Without an earlier known key, only the end of an input can
 * be checkpointed.
 */
public final class RowKeys {

  /** Most keys to keep; the first key is always kept. */
  public static final int KEYS_MAX = 1_024;

  private final boolean isKept;
  private final TreeMap<Long, Bytes> given = new TreeMap<>();
  private Bytes received;

  /** The incarnation of changes, which takes the place of a key in their checkpoints. */
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

  /** The key of the last delivered row; empty before the first row. */
  public Bytes received() {
    return received;
  }

  /** The processor gets an input of these deliveries, which ends at {@code position}. */
  public void given(List<Delivery> deliveries, long position) {
    if (isKept) {
      put(position, lastKey(deliveries.get(deliveries.size() - 1)));
    }
  }

  /** A part of an input ends with {@code record}. */
  public void reached(StreamRecord record) {
    if (isKept) {
      put(record.position(), record.encodedKey());
    }
  }

  private void put(long position, Bytes key) {
    given.put(position, key);
    if (given.size() > KEYS_MAX) {
      long kept = given.firstKey();
      // An empty first key names no row, so the second key is the first known key.
      kept = given.get(kept).length() == 0 ? given.higherKey(kept) : kept;
      given.remove(given.higherKey(kept));
    }
  }

  /** True when a checkpoint at {@code position} has a row key, or needs none. */
  public boolean isKnownAt(long position) {
    return !isKept || position <= given.firstKey() || at(position).length() > 0;
  }

  /** The received changes belong to {@code incarnation}, if known. */
  public void seenIn(Optional<Long> incarnation) {
    seenIn = Checkpoint.rest(incarnation);
  }

  /** The last known row key at or before {@code position}; for changes their incarnation. */
  public Bytes at(long position) {
    if (!isKept && seenIn.length() > 0) {
      return seenIn;
    }
    return given.floorEntry(position).getValue();
  }

  /** Forgets keys before {@code position}, which no checkpoint will need. */
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
