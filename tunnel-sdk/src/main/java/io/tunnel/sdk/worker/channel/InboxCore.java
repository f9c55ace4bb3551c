package io.tunnel.sdk.worker.channel;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a channel was delivered and has not processed, within the credit that was given for it; one
 * input of it at a time is with the processor.
 *
 * <p>Holds {@code given <= received}. Credit is conserved: what the server may still send, what
 * waits and what is being processed add up to what was granted and has not come back, except that
 * one delivery may overdraw it.
 */
final class InboxCore {

  private record Waiting(long last, int rows, int bytes) {}

  private final int rowsMax;
  private final int bytesMax;

  /** Deliveries that are not begun; their positions rise from given to received. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  private InputState input = InputState.NONE;

  /** Last position of the input that was begun last; never goes back. */
  private long given;

  /** Last position that was delivered; {@code given <= received}. */
  private long received;

  /** Positions behind {@link #received} up to this one are no changes; never goes back. */
  private long settled;

  /** Granted and not delivered; below 0 by less than the last delivery. */
  private long creditLeft;

  /** Of all that is waiting. */
  private int waitingBytes;

  /** Of the input that was begun; 0 while {@link #input} is NONE. */
  private int processingBytes;

  /** Nothing was delivered behind {@code checkpointed}; inputs have those limits. */
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

  /** The last position that was delivered. */
  long received() {
    return received;
  }

  /** There is no change between the last one that was delivered and {@code position}. */
  void settled(long position) {
    settled = Math.max(settled, position);
  }

  /**
   * How far a reader is that is done with everything up to {@code position}: further, if that was
   * all and positions follow that are no changes.
   */
  long reach(long position) {
    return position >= received ? Math.max(position, settled) : position;
  }

  /** Bytes that the server may still send; below 0 when the last delivery was larger. */
  long creditLeft() {
    return creditLeft;
  }

  /** Bytes delivered and not processed. */
  int bufferedBytes() {
    return waitingBytes + processingBytes;
  }

  /** What is done with the input that was begun last. */
  InputState input() {
    return input;
  }

  /** Whether nothing waits. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The server may send that many bytes more. */
  void granted(int bytes) {
    creditLeft += bytes;
  }

  /**
   * Something has arrived.
   *
   * @throws IllegalStateException when the server sent it out of order or without credit
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
   * Takes the deliveries of the next input, oldest first: returns how many, at least one. A single
   * one that is over the limits is given to the processor in parts.
   */
  int begin() {
    if (waiting.isEmpty()) {
      throw new IllegalStateException("nothing waits behind position " + given);
    }
    move(InputState.PROCESSING, "it is begun");
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
   * The input that was begun has to be with the processor.
   *
   * @throws IllegalStateException when it is not
   */
  void requireProcessing() {
    if (input != InputState.PROCESSING) {
      throw new IllegalStateException("nothing is being processed: the input is " + input);
    }
  }

  /** The processor is given the input again after a pause. */
  void pause() {
    move(InputState.PAUSING, "the processor threw");
  }

  /** The pause is over. Returns whether the processor is to be given the input again. */
  boolean pauseOver() {
    boolean isDue = input == InputState.PAUSING;
    if (isDue) {
      move(InputState.PROCESSING, "the pause is over");
    }
    return isDue;
  }

  /** The input that was begun is over. Returns its bytes: they are no longer granted. */
  int done() {
    move(InputState.NONE, "it is over");
    int bytes = processingBytes;
    processingBytes = 0;
    return bytes;
  }

  /** What waits is dropped. */
  void drop() {
    waiting.clear();
    waitingBytes = 0;
  }

  private void move(InputState next, String reason) {
    if (!input.next().contains(next)) {
      throw new IllegalStateException(
          "an input that is " + input + " cannot be " + next + ": " + reason);
    }
    input = next;
  }
}
