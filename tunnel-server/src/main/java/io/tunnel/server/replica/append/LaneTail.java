package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendTail.End;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * The visits of a lane to the tail, and up to where they have proven the log. For the shard's
 * thread.
 */
final class LaneTail {

  /** What may be believed before the lane looks at the log by itself, in bytes of values. */
  static final long BELIEVED_BYTES_MAX = 64L << 20;

  /** What a record without a value counts. */
  static final long RECORD_BYTES = 8 << 10;

  private final int partition;
  private final LaneWiring wiring;
  private final ReadBackCore readBack;

  /** The events of this visit of the tail count; those before {@link #hasBegun} are older. */
  private long visit;

  private boolean hasBegun;

  /** The log has records up to here, some look said. */
  private long endSeen;

  /** Of the records that were believed since the last look or read. */
  private long believedBytes;

  private boolean isLooking;

  LaneTail(int partition, LaneWiring wiring, Proven proven) {
    this.partition = partition;
    this.wiring = wiring;
    this.readBack = new ReadBackCore(proven);
  }

  Proven proven() {
    return readBack.proven();
  }

  /** Reads from the proven place on. What was read before and not taken is not taken any more. */
  void visit() {
    Proven from = readBack.proven();
    hasBegun = false;
    visit = wiring.tail().follow(partition, from.offset(), from.leaderEpoch());
  }

  /** Nothing is read until the next visit. */
  void pause() {
    wiring.tail().pause(partition);
  }

  void end() {
    wiring.tail().unfollow(partition);
  }

  void began(AppendTail.Begun begun) {
    hasBegun |= begun.visit() == visit;
  }

  /** Whether the events that come now are those of the last visit. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** See {@link ReadBackCore#read}. */
  boolean read(FollowCore follow, AppendTail.Stored record) {
    believedBytes = 0;
    return readBack.read(follow, record.offset(), record.leaderEpoch(), record.header());
  }

  /** See {@link ReadBackCore#skipped}. */
  boolean skipped(FollowCore follow, long offset) {
    return readBack.skipped(follow, offset);
  }

  /** Whether the log has another leader than was known. */
  boolean isNewer(int leaderEpoch) {
    boolean isNewer = readBack.isNewer(leaderEpoch);
    if (isNewer) {
      endSeen = 0;
    }
    return isNewer;
  }

  /**
   * Takes the end of the log, which has no newer leader than was known. True if the lane had
   * everything when the question was asked.
   */
  boolean hasAll(End end, long askedNanos, long next) {
    if (readBack.isOlder(end.leaderEpoch())) {
      return false;
    }
    endSeen = Math.max(endSeen, end.offset());
    if (!readBack.looked(askedNanos, end)) {
      return false;
    }
    believedBytes = 0;
    return end.offset() <= next;
  }

  /** What is known now is proven by the next look; to be called again and again. */
  void mark(long nowNanos, long next) {
    readBack.mark(nowNanos, next);
  }

  /** Whether the log has no record at {@code next} or after, as far as is known. */
  boolean isEnd(long next) {
    return endSeen <= next;
  }

  /**
   * A record was believed. When so much was believed that reading back would take long, a look at
   * the log proves the records.
   *
   * @param next the next offset
   * @param answered gets the answer and the time of the question, on the shard's thread
   */
  void believed(long valueBytes, long next, BiConsumer<End, Long> answered) {
    believedBytes += RECORD_BYTES + valueBytes;
    if (believedBytes < BELIEVED_BYTES_MAX || isLooking) {
      return;
    }
    isLooking = true;
    believedBytes = 0;
    mark(wiring.clock().nanos(), next);
    long askedNanos = wiring.clock().nanos();
    CompletableFuture<End> end = wiring.tail().ends(List.of(partition)).get(partition);
    var unused =
        end.whenComplete(
            (answer, failure) ->
                wiring
                    .posts()
                    .accept(
                        () -> {
                          isLooking = false;
                          if (failure == null) {
                            answered.accept(answer, askedNanos);
                          }
                        }));
  }
}
