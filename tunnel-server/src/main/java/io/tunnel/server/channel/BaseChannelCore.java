package io.tunnel.server.channel;

import java.util.OptionalInt;

/**
 * What a base channel has delivered, and when it may read on. Rows are read only when there is
 * credit for them and room in the connection, and at most one read is under way, so of a slow
 * reader's rows there is at most one batch in memory. A channel without credit looks once whether
 * there is a row at all, so that one that is at its end need not wait for credit to say so.
 *
 * <p>Moves: RESTING to READING and back; to ENDED when the read before found the last row; to
 * STOPPED from anywhere.
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

  /** A channel whose rows up to {@code checkpointed} were processed before. */
  BaseChannelCore(long checkpointed, int deliveryBytesMax) {
    this.delivered = checkpointed;
    this.deliveryBytesMax = deliveryBytesMax;
  }

  /** The reader accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
  }

  /** Nothing is read or delivered any more. */
  void stop() {
    state = State.STOPPED;
  }

  boolean isStopped() {
    return state == State.STOPPED;
  }

  boolean isEnded() {
    return state == State.ENDED;
  }

  /** Whether it would read rows now, if the connection took them. */
  boolean wantsRows() {
    return state == State.RESTING && credit > 0;
  }

  /**
   * Begins a read, of so many bytes of rows, or of 0 to look whether there is a row; nothing when
   * there is nothing to read now.
   */
  OptionalInt nextRead(boolean isWritable) {
    boolean mayDeliver = credit > 0 && isWritable;
    if (state != State.RESTING || (!mayDeliver && hasLooked)) {
      return OptionalInt.empty();
    }
    state = State.READING;
    hasLooked = true;
    return OptionalInt.of(mayDeliver ? (int) Math.min(credit, deliveryBytesMax) : 0);
  }

  /** The position that the next row gets. */
  long nextPosition() {
    return delivered + 1;
  }

  /** The read found rows that were not asked for. */
  void foundMore() {
    endRead(false);
  }

  /** The read found no row. */
  void foundEnd() {
    endRead(true);
  }

  /** The rows read, up to {@code lastPosition}, leave in a payload of {@code bytes}. */
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
