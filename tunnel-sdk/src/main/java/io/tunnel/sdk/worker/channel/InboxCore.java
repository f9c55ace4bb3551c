package io.tunnel.sdk.worker.channel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;

/**
 * The deliveries of a channel that are not processed, within the granted credit. The processor has
 * one input at a time.
 *
 * <p>Invariant: {@code given <= received}. Credit is conserved: unused credit, waiting bytes and
 * bytes in processing add up to the granted credit that has not returned; but one delivery may
 * overdraw the credit.
 */
final class InboxCore {

  /** States of the input that was begun last. */
  enum InputState {
    /** No input is begun. */
    NONE,
    /** The processor has the input. */
    PROCESSING,
    /** The processor threw; after a pause it gets the input again. */
    PAUSING;

    private Set<InputState> next() {
      return switch (this) {
        case NONE -> EnumSet.of(PROCESSING);
        case PROCESSING -> EnumSet.of(PAUSING, NONE);
        case PAUSING -> EnumSet.of(PROCESSING, NONE);
      };
    }
  }

  private record Waiting(long last, int rows, int bytes) {}

  private final int rowsMax;
  private final int bytesMax;

  /** Deliveries that are not begun; positions rise from {@link #given} to {@link #received}. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  private InputState input = InputState.NONE;

  /** Last position of the input that was begun last; never decreases. */
  private long given;

  /** Last delivered position; {@code given <= received}. */
  private long received;

  /** No change exists behind {@link #received} up to this position; never decreases. */
  private long settled;

  /** Unused credit in bytes; the last delivery may make it negative. */
  private long creditLeft;

  /** Bytes of {@link #waiting}. */
  private int waitingBytes;

  /** Bytes of the input that was begun; 0 while {@link #input} is NONE. */
  private int processingBytes;

  /** An empty inbox behind {@code checkpointed}, with the limits of an input. */
  InboxCore(long checkpointed, int rowsMax, int bytesMax) {
    this.given = checkpointed;
    this.received = checkpointed;
    this.settled = checkpointed;
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
  }

  /** The last position that the processor was given. */
  long given() {
    return given;
  }

  /** The last delivered position. */
  long received() {
    return received;
  }

  /** No change exists between the last delivered position and {@code position}. */
  void settled(long position) {
    settled = Math.max(settled, position);
  }

  /**
   * The progress of a reader that has processed all changes up to {@code position}: further than
   * {@code position} if all deliveries are processed and settled positions follow.
   */
  long reach(long position) {
    return position >= received ? Math.max(position, settled) : position;
  }

  /** Unused credit in bytes; negative after a delivery larger than the credit. */
  long creditLeft() {
    return creditLeft;
  }

  /** Bytes that are delivered and not processed. */
  int bufferedBytes() {
    return waitingBytes + processingBytes;
  }

  /** State of the input that was begun last. */
  InputState input() {
    return input;
  }

  /** True when no delivery waits. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Adds credit. */
  void granted(int bytes) {
    creditLeft += bytes;
  }

  /**
   * Adds a delivery.
   *
   * @throws IllegalStateException when the server sent the delivery out of order or without credit
   */
  void delivered(long first, long last, int rows, int bytes) {
    if (first <= reach(received) || last < first) {
      throw new IllegalStateException(
          "positions " + first + " to " + last + " were delivered after " + reach(received));
    }
    if (creditLeft <= 0) {
      throw new IllegalStateException(
          bytes + " bytes were delivered with a credit of " + creditLeft + " bytes");
    }
    creditLeft -= bytes;
    received = last;
    waitingBytes += bytes;
    waiting.add(new Waiting(last, rows, bytes));
  }

  /**
   * Begins the next input. Returns the number of its deliveries, at least one, oldest first. A
   * single delivery may exceed the limits: the processor gets it in parts.
   */
  int begin() {
    if (waiting.isEmpty()) {
      throw new IllegalStateException("no delivery waits behind position " + given);
    }
    move(InputState.PROCESSING, "the input is begun");
    int count = 0;
    long rows = 0;
    long bytes = 0;
    while (!waiting.isEmpty()) {
      Waiting next = waiting.peek();
      boolean isOver = rows + next.rows() > rowsMax || bytes + next.bytes() > bytesMax;
      if (count > 0 && isOver) {
        break;
      }
      waiting.remove();
      count++;
      rows += next.rows();
      bytes += next.bytes();
      given = next.last();
    }
    waitingBytes -= (int) bytes;
    processingBytes = (int) bytes;
    return count;
  }

  /**
   * Requires that the processor has the input.
   *
   * @throws IllegalStateException in any other state
   */
  void requireProcessing() {
    if (input != InputState.PROCESSING) {
      throw new IllegalStateException("no input is being processed: its state is " + input);
    }
  }

  /** The processor threw, and will get the input again after a pause. */
  void pause() {
    move(InputState.PAUSING, "the processor threw");
  }

  /** The pause is over. Returns true when the processor has to get the input again. */
  boolean pauseOver() {
    boolean isDue = input == InputState.PAUSING;
    if (isDue) {
      move(InputState.PROCESSING, "the pause is over");
    }
    return isDue;
  }

  /** Ends the input. Returns its bytes, whose credit returns. */
  int done() {
    move(InputState.NONE, "the input is over");
    int bytes = processingBytes;
    processingBytes = 0;
    return bytes;
  }

  /** Drops all waiting deliveries. */
  void drop() {
    waiting.clear();
    waitingBytes = 0;
  }

  private void move(InputState next, String reason) {
    if (!input.next().contains(next)) {
      throw new IllegalStateException(
          "an input in " + input + " cannot move to " + next + ": " + reason);
    }
    input = next;
  }
}
