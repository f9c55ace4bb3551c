package io.tunnel.sdk.worker;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a channel was delivered and has not processed, within the credit that was given for it.
 *
 * <p>Holds {@code given <= received}. Credit is conserved: what the server may still send, what
 * waits and what is being processed add up to what was granted and has not come back, except that
 * one delivery may overdraw it.
 */
final class InboxCore {

  private record Waiting(long last, int rows, int bytes) {}

  private final int rowsMax;
  private final int bytesMax;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long given;
  private long received;
  private long settled;
  private long creditLeft;
  private int waitingBytes;
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

  /** Takes the deliveries of the next input, oldest first: returns how many, at least one. */
  int begin() {
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

  /** What was begun is over. Returns its bytes: they are no longer granted. */
  int done() {
    int bytes = processingBytes;
    processingBytes = 0;
    return bytes;
  }

  /** What waits is dropped. */
  void drop() {
    waiting.clear();
    waitingBytes = 0;
  }
}
