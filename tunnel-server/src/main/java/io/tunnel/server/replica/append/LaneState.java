package io.tunnel.server.replica.append;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowState.Stretch;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node stores of a partition of a log of appends, with the rows that the log leaves.
 *
 * @param lastMicros the commit time of the last change that counts; 0 without one
 * @param proven up to where the log was known to have what the state says; from there on a reader
 *     reads again
 * @param trimmed what readers must not ask for
 */
record LaneState(FollowState follow, long lastMicros, Proven proven, Trim trimmed) {

  /** Nothing was read. */
  static final LaneState NONE = new LaneState(FollowState.NONE, 0, Trim.NONE);

  private static final byte FORM = 1;
  private static final int FIXED_BYTES = 2 + 10 * Long.BYTES + Integer.BYTES;
  private static final int STRETCH_BYTES = 5 * Long.BYTES;

  /** A state without the leader epoch of the last record. */
  LaneState(FollowState follow, long lastMicros, Trim trimmed) {
    this(follow, lastMicros, new Proven(follow.next(), AppendTail.NO_EPOCH), trimmed);
  }

  /** The bytes of the state. */
  Bytes encode() {
    List<Stretch> stretches = follow.stretches();
    ByteSink sink = new ByteSink(FIXED_BYTES + stretches.size() * STRETCH_BYTES);
    sink.writeByte(FORM);
    sink.writeByte(follow.hasBegun() ? 1 : 0);
    sink.writeLong(lastMicros);
    sink.writeLong(follow.next());
    sink.writeLong(follow.position());
    sink.writeLong(follow.number());
    sink.writeLong(follow.snapshot());
    sink.writeLong(follow.snapshotBefore());
    sink.writeLong(proven.offset());
    sink.writeLong(trimmed.position());
    sink.writeLong(trimmed.offset());
    sink.writeLong(trimmed.block());
    sink.writeInt(proven.leaderEpoch());
    for (Stretch stretch : stretches) {
      sink.writeLong(stretch.epoch());
      sink.writeLong(stretch.marker());
      sink.writeLong(stretch.incarnation());
      sink.writeLong(stretch.first());
      sink.writeLong(stretch.end());
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /**
   * The state with these bytes.
   *
   * @throws MalformedException for bytes that no node writes
   */
  static LaneState decode(Bytes stored) {
    byte[] bytes = stored.toByteArray();
    int stretchBytes = bytes.length - FIXED_BYTES;
    if (stretchBytes < 0 || stretchBytes % STRETCH_BYTES != 0 || bytes[0] != FORM) {
      throw new MalformedException(
          "a stored state of a partition of the shared log with " + bytes.length + " bytes");
    }
    List<Stretch> stretches = new ArrayList<>();
    for (int at = FIXED_BYTES; at < bytes.length; at += STRETCH_BYTES) {
      stretches.add(
          new Stretch(
              longAt(bytes, at, 0),
              longAt(bytes, at, 1),
              longAt(bytes, at, 2),
              longAt(bytes, at, 3),
              longAt(bytes, at, 4)));
    }
    return new LaneState(
        new FollowState(
            longAt(bytes, 2, 1),
            longAt(bytes, 2, 2),
            longAt(bytes, 2, 3),
            bytes[1] == 1,
            longAt(bytes, 2, 4),
            longAt(bytes, 2, 5),
            stretches),
        longAt(bytes, 2, 0),
        new Proven(longAt(bytes, 2, 6), Binary.getInt(bytes, 2 + 10 * Long.BYTES)),
        new Trim(longAt(bytes, 2, 7), longAt(bytes, 2, 8), longAt(bytes, 2, 9)));
  }

  private static long longAt(byte[] bytes, int from, int index) {
    return Binary.getLong(bytes, from + index * Long.BYTES);
  }
}
