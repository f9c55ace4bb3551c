package io.tunnel.server.channel;

/**
 * What a channel has delivered and may deliver. Nothing is read that there is no credit for, so
 * nothing waits in memory for a slow reader.
 *
 * <p>Invariant: {@code checkpointed <= delivered <= committed}, and once there is an end, nothing
 * behind it is delivered. Credit may fall under zero by one delivery, since batches are not cut; it
 * is then the next credit's to fill that up.
 */
final class ChannelCore {

  private final int deliveryBytesMax;
  private long delivered;
  private long credit;
  private boolean isStopped;

  /** The position behind which nothing is delivered. */
  private long end = Long.MAX_VALUE;

  private boolean isEndTold;

  /** Behind what was delivered, there is no change up to here. */
  private long emptyUpTo;

  /** The last position that the reader was told in this way. */
  private long settledTold;

  /** A channel whose changes up to {@code checkpointed} were processed before. */
  ChannelCore(long checkpointed, int deliveryBytesMax) {
    this.delivered = checkpointed;
    this.deliveryBytesMax = deliveryBytesMax;
  }

  /** The reader accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
  }

  /**
   * Nothing more is delivered behind {@code position}. A log that many nodes share may stamp a
   * change late with a time before the end, and the change may have been delivered before the end
   * was found: the reader has that change, and is told the end all the same.
   *
   * @throws IllegalStateException when there is another end
   */
  void endAt(long position) {
    if (hasEnd() && end != position) {
      throw new IllegalStateException(
          "a channel that ends at " + end + " should now end at " + position);
    }
    end = position;
  }

  boolean hasEnd() {
    return end != Long.MAX_VALUE;
  }

  /** Position of the last change to deliver. */
  long end() {
    return end;
  }

  /** There is no change between the last one that was delivered and {@code position}. */
  void emptyUpTo(long position) {
    emptyUpTo = Math.max(emptyUpTo, position);
  }

  /**
   * Whether the reader is to be told of the end now: true once, when it has everything. An end need
   * not be the position of a change.
   */
  boolean takeEnd() {
    if (isStopped || isEndTold || !hasEnd() || Math.max(delivered, emptyUpTo) < end) {
      return false;
    }
    isEndTold = true;
    return true;
  }

  /**
   * Whether the reader, which was delivered every change, is to be told now that there is none up
   * to {@code settled}: true once for each such position. One that is going to be told of an end is
   * told of that alone.
   */
  boolean takeSettled(long settled) {
    if (isStopped || hasEnd() || settled <= Math.max(delivered, settledTold)) {
      return false;
    }
    settledTold = settled;
    return true;
  }

  /** Nothing is delivered any more. */
  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Whether there is something to deliver, and credit for it. */
  boolean wants(long committed) {
    return !isStopped && credit > 0 && delivered < Math.min(committed, end);
  }

  /** The first position to deliver next: behind what the reader was told to be empty. */
  long nextPosition() {
    return Math.max(delivered, emptyUpTo) + 1;
  }

  /** Bytes of batches to deliver at most, if the first batch is not larger. */
  int bytesMax() {
    return (int) Math.max(1, Math.min(credit, deliveryBytesMax));
  }

  /** Changes up to {@code lastPosition} leave, in a payload of {@code bytes}. */
  void delivered(long lastPosition, int bytes) {
    if (lastPosition <= delivered) {
      throw new IllegalStateException(
          "delivered " + delivered + " and now " + lastPosition + ": positions must rise");
    }
    if (lastPosition > end) {
      throw new IllegalStateException(
          "delivered " + lastPosition + " of a channel that ends at " + end);
    }
    delivered = lastPosition;
    credit -= bytes;
  }

  /** Position of the last change delivered. */
  long delivered() {
    return delivered;
  }

  long credit() {
    return credit;
  }
}
