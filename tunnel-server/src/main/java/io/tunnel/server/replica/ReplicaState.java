package io.tunnel.server.replica;

import io.tunnel.model.Bytes;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a copy has to remember of the part of the log that it has read. It is stored in the same
 * write as the rows folded from that part, so a copy always goes on exactly behind its rows.
 *
 * @param next the offset of the next record to read
 * @param epoch the newest epoch seen
 * @param sequence of the last record of that epoch that counts; negative when that is a matter of
 *     doubt because records before were compacted away: -1 when there was none since, and otherwise
 *     -2 less the sequence
 * @param isBroken whether a record of that epoch is missing: nothing of it counts any more
 * @param wholeFrom every change from this offset on was read when none was compacted away; {@link
 *     Long#MAX_VALUE} as long as there is no such offset
 * @param unrepaired by key, the offset of the first record that does not count and that a
 *     compaction could prefer, because nothing that counts came behind it yet
 */
public record ReplicaState(
    long next,
    long epoch,
    long sequence,
    boolean isBroken,
    long wholeFrom,
    NavigableMap<Bytes, Long> unrepaired) {

  /** Nothing was read yet. */
  public static final ReplicaState EMPTY =
      new ReplicaState(0, -1, 0, false, Long.MAX_VALUE, Collections.emptyNavigableMap());

  /** Copies the map, and refuses offsets that cannot be. */
  public ReplicaState {
    if (next < 0 || epoch >= next || wholeFrom < 0) {
      throw new IllegalArgumentException(
          "a copy that reads on at " + next + " in epoch " + epoch + ", whole from " + wholeFrom);
    }
    unrepaired = Collections.unmodifiableNavigableMap(new TreeMap<>((Map<Bytes, Long>) unrepaired));
  }
}
