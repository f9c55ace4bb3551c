package io.tunnel.server.replica.shared;

import io.tunnel.model.value.Bytes;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a replica has to remember of the part of the log that it has read. It is stored in the same
 * write as the rows folded from that part, so a replica always goes on exactly behind its rows.
 *
 * @param next the offset of the next record to read
 * @param epoch the newest epoch seen
 * @param standing what is known of that epoch
 * @param sequence of the last record of that epoch that counts; 0 when there is none since the
 *     marker, and when the standing {@link Standing#hasHole has a hole}
 * @param wholeFrom every change from this offset on that counts was read, and none had been
 *     compacted away by then; {@link Long#MAX_VALUE} while no such offset is known
 * @param unrepaired by key, the offset of the first record that does not count and that a
 *     compaction could prefer, because nothing that counts came behind it yet
 */
public record ReplicaState(
    long next,
    long epoch,
    Standing standing,
    long sequence,
    long wholeFrom,
    NavigableMap<Bytes, Long> unrepaired) {

  /** Nothing was read yet. */
  public static final ReplicaState EMPTY = beginningAt(0);

  /** Nothing was read yet of a log that is read from that offset on. */
  public static ReplicaState beginningAt(long next) {
    return new ReplicaState(
        next, -1, Standing.CERTAIN, 0, Long.MAX_VALUE, Collections.emptyNavigableMap());
  }

  /** What is known of an epoch: how its last record was read that counts. */
  public enum Standing {
    /**
     * Every record was read since the epoch's marker, or since the first entry of one of its
     * appends: the next record counts if its sequence follows. Also the state before the first
     * epoch.
     */
    CERTAIN,
    /**
     * Records were compacted away, perhaps also the marker, and the replica has read no record of
     * the epoch that counts since: the next record of the epoch counts, regardless of its sequence.
     */
    HOLE,
    /**
     * Behind a hole, the rest of an append was read whose first entry was not: it counts as far as
     * can be known, until the next append begins.
     */
    DOUBTFUL,
    /** A record of the epoch did not follow the one before it: from it on, none counts. */
    BROKEN,
    /**
     * As {@link #BROKEN}, but with a hole before the record that did not follow, or behind it:
     * markers of later epochs may have been in it.
     */
    BROKEN_BEHIND_HOLE;

    /**
     * Where it may go from here. A marker leads to {@link #CERTAIN} from anywhere; a later epoch
     * whose marker was compacted away, to {@link #HOLE}.
     */
    Set<Standing> next() {
      return switch (this) {
        case CERTAIN -> Set.of(HOLE, BROKEN);
        case HOLE -> Set.of(CERTAIN, DOUBTFUL);
        case DOUBTFUL -> Set.of(CERTAIN, HOLE, BROKEN_BEHIND_HOLE);
        case BROKEN -> Set.of(CERTAIN, HOLE, BROKEN_BEHIND_HOLE);
        case BROKEN_BEHIND_HOLE -> Set.of(CERTAIN, HOLE);
      };
    }

    /** Whether nothing of the epoch counts from here on. */
    public boolean isBroken() {
      return this == BROKEN || this == BROKEN_BEHIND_HOLE;
    }

    /** Whether every record was read that decides whether the next one counts. */
    public boolean isSure() {
      return this == CERTAIN || this == BROKEN;
    }

    /**
     * Whether no sequence is kept: that of the last record that counts is not known, or of no use.
     */
    public boolean hasHole() {
      return this == HOLE || this == BROKEN_BEHIND_HOLE;
    }
  }

  /** Copies the map, and refuses offsets that cannot be. */
  public ReplicaState {
    if (next < 0 || epoch >= next || wholeFrom < 0 || sequence < 0) {
      throw new IllegalArgumentException(
          "a replica that reads on at "
              + next
              + " in epoch "
              + epoch
              + ", whole from "
              + wholeFrom);
    }
    unrepaired = Collections.unmodifiableNavigableMap(new TreeMap<>((Map<Bytes, Long>) unrepaired));
  }
}
