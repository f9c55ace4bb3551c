package io.tunnel.server.replica;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.replica.history.EpochHistory;
import io.tunnel.server.replica.history.LeaderEpochs;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.ReplicaState.Standing;
import io.tunnel.server.replica.shared.SharedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state stored with the rows of a replica; {@code docs/storage.md} draws the bytes.
 *
 * @param logged position up to which the local log had the changes at that time
 * @param lastMicros commit time of the last change read; 0 when there was none
 * @param floor readers must not read changes before this position from the local log
 * @param freshMicros when the replica had certainly read to the end of the log; tells whether it
 *     may have missed a deletion
 * @param origin the identity of the replica's log, as in {@link SharedLog.End}; empty if unknown
 * @param epochHistory which of the records read count
 * @param epochs the leaders of the log over the records read
 */
record StoredReplica(
    ReplicaState replica,
    long logged,
    long lastMicros,
    long floor,
    long freshMicros,
    Bytes origin,
    EpochHistory epochHistory,
    LeaderEpochs epochs) {

  /** Bytes of an origin. */
  static final int ORIGIN_BYTES_MAX = 255;

  /**
   * The most keys to repair that a replica remembers. A fenced leader has one append in flight, so
   * the keys are at most the rows of a few groups; more keys mean that a foreign program writes to
   * the log.
   */
  static final int UNREPAIRED_MAX = 1_000_000;

  private static final int FORMAT = 4;

  private static final int ORIGIN_OFFSET = 2 + 8 * 8;
  private static final int HEADER_BYTES = 2 + 8 * 8 + 1 + 4;
  private static final int HISTORY_HEADER_BYTES = 8 + 4;
  private static final int STRETCH_BYTES = 3 * 8;
  private static final int EPOCH_BYTES = 2 * 8;

  static final StoredReplica EMPTY =
      new StoredReplica(
          ReplicaState.EMPTY, 0, 0, 0, 0, Bytes.EMPTY, EpochHistory.START, LeaderEpochs.NONE);

  /** Refuses an origin that is too long. */
  StoredReplica {
    if (origin.length() > ORIGIN_BYTES_MAX) {
      throw new IllegalArgumentException("an origin of " + origin.length() + " bytes");
    }
  }

  /** This state in a log of that origin. */
  StoredReplica ofOrigin(Bytes newOrigin) {
    return new StoredReplica(
        replica, logged, lastMicros, floor, freshMicros, newOrigin, epochHistory, epochs);
  }

  /**
   * The bytes.
   *
   * @throws IllegalStateException when more keys than {@link #UNREPAIRED_MAX} are to be repaired
   */
  Bytes encode() {
    if (replica.unrepaired().size() > UNREPAIRED_MAX) {
      throw new IllegalStateException(
          replica.unrepaired().size() + " keys to be repaired; at most " + UNREPAIRED_MAX);
    }
    ByteSink sink = new ByteSink(HEADER_BYTES);
    sink.writeByte(FORMAT);
    sink.writeByte(replica.standing().isBroken() ? 1 : 0);
    sink.writeLong(replica.next());
    sink.writeLong(replica.epoch());
    sink.writeLong(storedSequence(replica));
    sink.writeLong(replica.wholeFrom());
    sink.writeLong(logged);
    sink.writeLong(lastMicros);
    sink.writeLong(floor);
    sink.writeLong(freshMicros);
    sink.writeByte(origin.length());
    sink.write(origin);
    sink.writeInt(replica.unrepaired().size());
    for (Map.Entry<Bytes, Long> fenced : replica.unrepaired().entrySet()) {
      sink.writeVarint(fenced.getKey().length());
      sink.write(fenced.getKey());
      sink.writeLong(fenced.getValue());
    }
    sink.writeLong(epochHistory.barrier());
    sink.writeInt(epochHistory.stretches().size());
    for (EpochHistory.Stretch stretch : epochHistory.stretches()) {
      sink.writeLong(stretch.from());
      sink.writeLong(stretch.epoch());
      sink.writeLong(stretch.brokenAt());
    }
    sink.writeInt(epochs.starts().size());
    for (IncarnationHistory.Start start : epochs.starts()) {
      sink.writeLong(start.incarnation());
      sink.writeLong(start.first());
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** Negative when it is not sure: -1 behind a hole, and otherwise -2 less the sequence. */
  private static long storedSequence(ReplicaState replica) {
    if (replica.standing().isSure()) {
      return replica.sequence();
    }
    return replica.standing().hasHole() ? -1 : -2 - replica.sequence();
  }

  private static Standing standing(boolean isBroken, long storedSequence) {
    if (storedSequence >= 0) {
      return isBroken ? Standing.BROKEN : Standing.CERTAIN;
    }
    if (isBroken) {
      return Standing.BROKEN_BEHIND_HOLE;
    }
    return storedSequence == -1 ? Standing.HOLE : Standing.DOUBTFUL;
  }

  /**
   * Reads {@link #encode}'s bytes.
   *
   * @throws MalformedException when they are not whole, or say what cannot be
   */
  static StoredReplica decode(Bytes stored) {
    byte[] array = stored.toByteArray();
    if (array.length < HEADER_BYTES || array[0] != FORMAT || (array[1] & ~1) != 0) {
      throw new MalformedException("the state of a replica in " + array.length + " bytes");
    }
    TreeMap<Bytes, Long> unrepaired = new TreeMap<>();
    int originBytes = array[ORIGIN_OFFSET] & 0xff;
    int at = HEADER_BYTES + originBytes;
    if (array.length < at) {
      throw new MalformedException("the state of a replica is cut off");
    }
    for (int left = Binary.getInt(array, at - 4); left > 0; left--) {
      long length = Binary.getVarint(array, at, array.length);
      at = Binary.next(length);
      if (Binary.value(length) > array.length - at - 8) {
        throw new MalformedException("the state of a replica is cut off");
      }
      Bytes key = Bytes.copyOf(array, at, Binary.value(length));
      at += key.length() + 8;
      unrepaired.put(key, Binary.getLong(array, at - 8));
    }
    try {
      long sequence = Binary.getLong(array, 18);
      Standing standing = standing(array[1] == 1, sequence);
      ReplicaState replica =
          new ReplicaState(
              Binary.getLong(array, 2),
              Binary.getLong(array, 10),
              standing,
              standing.hasHole() ? 0 : standing.isSure() ? sequence : -2 - sequence,
              Binary.getLong(array, 26),
              unrepaired);
      return new StoredReplica(
          replica,
          Binary.getLong(array, 34),
          Binary.getLong(array, 42),
          Binary.getLong(array, 50),
          Binary.getLong(array, 58),
          Bytes.copyOf(array, ORIGIN_OFFSET + 1, originBytes),
          epochHistory(array, at),
          epochs(array, behindHistory(array, at)));
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }

  /** Where the epoch history ends, which begins at {@code offset}. */
  private static int behindHistory(byte[] array, int offset) {
    int left = array.length - offset - HISTORY_HEADER_BYTES;
    int count = left < 0 ? -1 : Binary.getInt(array, offset + 8);
    if (count < 0 || count > EpochHistory.STRETCHES_MAX || left < count * STRETCH_BYTES) {
      throw new MalformedException(count + " epochs of a replica in " + left + " bytes");
    }
    return offset + HISTORY_HEADER_BYTES + count * STRETCH_BYTES;
  }

  /** What stands at the end. */
  private static LeaderEpochs epochs(byte[] array, int offset) {
    int left = array.length - offset - 4;
    int count = left < 0 ? -1 : Binary.getInt(array, offset);
    if (count < 0 || count > IncarnationHistory.STARTS_MAX || left != count * EPOCH_BYTES) {
      throw new MalformedException(count + " leaders of a replica's log in " + left + " bytes");
    }
    List<IncarnationHistory.Start> starts = new ArrayList<>();
    for (int at = offset + 4; at < array.length; at += EPOCH_BYTES) {
      starts.add(
          new IncarnationHistory.Start(Binary.getLong(array, at), Binary.getLong(array, at + 8)));
    }
    LeaderEpochs epochs = new LeaderEpochs(starts);
    // Refuses what does not rise.
    var unused = epochs.history();
    return epochs;
  }

  private static EpochHistory epochHistory(byte[] array, int offset) {
    int end = behindHistory(array, offset);
    List<EpochHistory.Stretch> epochHistory = new ArrayList<>();
    for (int at = offset + HISTORY_HEADER_BYTES; at < end; at += STRETCH_BYTES) {
      epochHistory.add(
          new EpochHistory.Stretch(
              Binary.getLong(array, at),
              Binary.getLong(array, at + 8),
              Binary.getLong(array, at + 16)));
    }
    return new EpochHistory(Binary.getLong(array, offset), epochHistory);
  }
}
