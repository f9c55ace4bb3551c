package io.tunnel.server.channel;

/**
 * What a channel has delivered and may deliver. Nothing is read that there is no credit for, so
 * nothing waits in memory for a slow reader.
 *
 * <p>Invariant: {@code checkpointed <= delivered <= committed}. Credit may fall under zero by one
 * delivery, since batches are not cut; it is then the next credit's to fill that up.
 */
final class ChannelCore {

  private final int deliveryBytesMax;
  private long delivered;
  private long credit;
  private boolean isStopped;

  /** A channel whose changes up to {@code checkpointed} were processed before. */
  ChannelCore(long checkpointed, int deliveryBytesMax) {
    this.delivered = checkpointed;
    this.deliveryBytesMax = deliveryBytesMax;
  }

  /** The reader accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
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
    return !isStopped && credit > 0 && delivered < committed;
  }

  /** The first position to deliver next. */
  long nextPosition() {
    return delivered + 1;
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
