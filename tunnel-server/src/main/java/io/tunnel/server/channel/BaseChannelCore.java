package io.tunnel.server.channel;

import java.util.OptionalInt;

/**
 * Decides when a base channel may read and deliver rows. It reads rows only with credit for them
 * and space in the connection, and one batch at a time, so memory holds at most one batch for a
 * slow reader. A channel without credit looks once for a row, so that an empty channel can end
 * without credit.
 *
 * <p>Moves: RESTING to READING and back; to ENDED when a read found the last row; to STOPPED from
 * any state.
 */
final class BaseChannelCore {

  private final int deliveryBytesMax;
  private State state = State.RESTING;
  private long delivered;
  private long credit;
  private boolean hasLooked;

  private enum State {
    RESTING,
    READING,
    ENDED,
    STOPPED
  }

  /** A channel whose reader has processed all rows up to {@code checkpointed}. */
  BaseChannelCore(long checkpointed, int deliveryBytesMax) {
    this.delivered = checkpointed;
    this.deliveryBytesMax = deliveryBytesMax;
  }

  /** The reader accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
  }

  /** Stops reading and delivering for good. */
  void stop() {
    state = State.STOPPED;
  }

  boolean isStopped() {
    return state == State.STOPPED;
  }

  boolean isEnded() {
    return state == State.ENDED;
  }

  /** Whether the channel would read rows now if the connection accepted data. */
  boolean wantsRows() {
    return state == State.RESTING && credit > 0;
  }

  /**
   * Begins a read of this many bytes of rows, or of 0 to look whether there is a row; empty when
   * the channel may not read now.
   */
  OptionalInt beginRead(boolean isWritable) {
    boolean mayDeliver = credit > 0 && isWritable;
    if (state != State.RESTING || (!mayDeliver && hasLooked)) {
      return OptionalInt.empty();
    }
    state = State.READING;
    hasLooked = true;
    return OptionalInt.of(mayDeliver ? (int) Math.min(credit, deliveryBytesMax) : 0);
  }

  /** The position of the next row. */
  long nextPosition() {
    return delivered + 1;
  }

  /** Notes that a look found rows. */
  void foundMore() {
    endRead(false);
  }

  /** Notes that the read found no row. */
  void foundEnd() {
    endRead(true);
  }

  /** Notes a delivery of rows up to {@code lastPosition}, with a payload of {@code bytes}. */
  void delivered(long lastPosition, int bytes, boolean isEnd) {
    if (lastPosition <= delivered) {
      throw new IllegalStateException(
          "delivered " + delivered + " and now " + lastPosition + ": positions must rise");
    }
    endRead(isEnd);
    delivered = lastPosition;
    credit -= bytes;
  }

  private void endRead(boolean isEnd) {
    if (state != State.READING) {
      throw new IllegalStateException("a read ended while the channel was " + state);
    }
    state = isEnd ? State.ENDED : State.RESTING;
  }

  /** Position of the last row delivered. */
  long delivered() {
    return delivered;
  }

  long credit() {
    return credit;
  }
}
