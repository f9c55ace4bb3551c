package io.tunnel.server.kafka;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that a producer has taken and that are not in the log yet, by the broker that they are for.
 * A producer takes a whole batch for the first record of each partition, so an append counts a
 * batch more than its bytes; half of its buffer is shared, since an append may begin several. Each
 * broker has an equal share, and may have one append beyond, so one that does not answer cannot
 * take the room of the others. Safe for use by any thread.
 */
final class BrokerShares {

  private final long bytesMax;

  /** By every broker that ever had some; one that is gone keeps its share, which is no harm. */
  private final Map<Integer, Long> unsent = new HashMap<>();

  private final long batchBytes;

  /**
   * Where a producer puts what it has not sent.
   *
   * @param bytesMax all of it
   * @param batchBytes what it takes at a time, if a single record is not larger
   */
  record Buffer(long bytesMax, long batchBytes) {}

  BrokerShares(Buffer buffer) {
    this.bytesMax = buffer.bytesMax() / 2;
    this.batchBytes = buffer.batchBytes();
  }

  /** What an append of so many bytes takes. */
  long room(long bytes) {
    return bytes + batchBytes;
  }

  /** Takes room for an append; false when there is none for now. */
  synchronized boolean take(int broker, long bytes) {
    long before = unsent.computeIfAbsent(broker, first -> 0L);
    boolean hasRoom = before == 0 || before + bytes <= bytesMax / unsent.size();
    if (hasRoom) {
      unsent.put(broker, before + bytes);
    }
    return hasRoom;
  }

  /** An append has ended. */
  synchronized void giveBack(int broker, long bytes) {
    long left = unsent.get(broker) - bytes;
    if (left < 0) {
      throw new IllegalStateException(left + " bytes wait for broker " + broker);
    }
    unsent.put(broker, left);
  }
}
