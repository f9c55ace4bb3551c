package io.tunnel.server.partition;

import io.tunnel.model.TableOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Decides which changes of a table may go.
 *
 * <p>Retention trims complete segments. A table no longer needs a segment when the newest change in
 * the segment exceeds the retention time of the table. The table also no longer needs the segment
 * when the changes that are certainly newer amount to the retention size. Certainly newer changes
 * are in later segments of this log, or in segments of other logs that begin after the end of the
 * segment. So a table keeps the promised changes however unevenly shards hold them, and up to one
 * more segment for each shard. A log never trims its open segment, so retention seals an open
 * segment with changes that should go.
 */
final class RetentionCore {

  private RetentionCore() {}

  /**
   * The changes of a table in one segment.
   *
   * @param base names the segment in its shard; higher ones are newer
   * @param isSealed whether the segment is written no more
   * @param bytes how many they are
   * @param oldestMicros no change in the segment is older; the lowest number when unknown
   * @param newestMicros none is newer; the highest number when unknown
   */
  record Piece(
      int shard, long base, boolean isSealed, long bytes, long oldestMicros, long newestMicros) {}

  /**
   * What may go.
   *
   * @param lastBases by shard, the last segment whose changes of the table may go, with those in
   *     all before it
   * @param sealed shards whose present segment shall be sealed
   */
  record Decision(Map<Integer, Long> lastBases, Set<Integer> sealed) {}

  /** What of {@code pieces}, all that the table has, may go at {@code nowMicros}. */
  static Decision decide(TableOptions options, List<Piece> pieces, long nowMicros) {
    Map<Integer, Long> lastBases = new TreeMap<>();
    Set<Integer> sealed = new TreeSet<>();
    List<Piece> oldestFirst = new ArrayList<>(pieces);
    oldestFirst.sort(Comparator.comparingLong(Piece::base));
    Set<Integer> finished = new TreeSet<>();
    for (Piece piece : oldestFirst) {
      if (!piece.isSealed() && mustSeal(options, piece, nowMicros)) {
        sealed.add(piece.shard());
      }
      // What follows a segment that stays is newer and stays too, unless damage hides its age.
      boolean goes =
          !finished.contains(piece.shard())
              && piece.isSealed()
              && (isOld(options, piece.newestMicros(), nowMicros)
                  || isBeyond(options, piece, pieces));
      if (goes) {
        lastBases.put(piece.shard(), piece.base());
      } else if (piece.newestMicros() != Long.MAX_VALUE) {
        finished.add(piece.shard());
      }
    }
    return new Decision(lastBases, sealed);
  }

  private static boolean isOld(TableOptions options, long micros, long nowMicros) {
    return options.retentionMs() > 0
        && micros < nowMicros - TimeUnit.MILLISECONDS.toMicros(options.retentionMs());
  }

  private static boolean isBeyond(TableOptions options, Piece piece, List<Piece> all) {
    if (options.retentionBytes() == 0) {
      return false;
    }
    long newer = 0;
    for (Piece other : all) {
      boolean isNewer =
          other.shard() == piece.shard()
              ? other.base() > piece.base()
              : other.oldestMicros() > piece.newestMicros();
      newer += isNewer ? other.bytes() : 0;
    }
    return newer >= options.retentionBytes();
  }

  private static boolean mustSeal(TableOptions options, Piece piece, long nowMicros) {
    return isOld(options, piece.oldestMicros(), nowMicros)
        || (options.retentionBytes() > 0 && piece.bytes() >= options.retentionBytes());
  }
}
