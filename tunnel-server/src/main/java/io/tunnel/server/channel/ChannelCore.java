package io.tunnel.server.channel;

/**
 * Decides what a channel may deliver. A channel reads nothing without credit for it, so no changes
 * wait in memory for a slow reader.
 *
 * <p>Invariant: {@code checkpointed <= delivered <= committed}, and once there is an end, nothing
 * after it is delivered. Credit may fall below zero by one delivery, because batches are not cut;
 * the next credit makes up for it.
 */
final class ChannelCore {

  private final int deliveryBytesMax;
  private long delivered;
  private long credit;
  private boolean isStopped;

  /** Nothing is delivered after this position. */
  private long end = Long.MAX_VALUE;

  private boolean isEndTold;

  /** A channel whose reader has processed all changes up to {@code checkpointed}. */
  ChannelCore(long checkpointed, int deliveryBytesMax) {
    this.delivered = checkpointed;
    this.deliveryBytesMax = deliveryBytesMax;
  }

  /** The reader accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
  }

  /**
   * Sets the end. A shared log may append a change late with a time before the end, and the change
   * may have been delivered before the end was found: the reader keeps that change, and is notified
   * of the end all the same.
   *
   * @throws IllegalStateException when the channel has another end
   */
  void endAt(long position) {
    if (hasEnd() && end != position) {
      throw new IllegalStateException(
          "a channel that ends at " + end + " cannot end at " + position);
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

  /** True once, when the reader has all changes up to the end and is to be notified of it. */
  boolean takeEnd() {
    if (isStopped || isEndTold || !hasEnd() || delivered < end) {
      return false;
    }
    isEndTold = true;
    return true;
  }

  /** Stops delivering for good. */
  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Whether there are changes to deliver, and credit for them. */
  boolean wants(long committed) {
    return !isStopped && credit > 0 && delivered < Math.min(committed, end);
  }

  /** The first position to deliver next. */
  long nextPosition() {
    return delivered + 1;
  }

  /** Most bytes of batches in the next delivery, if the first batch is not larger. */
  int bytesMax() {
    return (int) Math.max(1, Math.min(credit, deliveryBytesMax));
  }

  /** Notes a delivery of changes up to {@code lastPosition}, with a payload of {@code bytes}. */
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
