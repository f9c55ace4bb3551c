package io.tunnel.server.kafka;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts, by broker, the bytes that a producer holds and has not appended yet. A producer allocates
 * a complete batch for the first record of each partition, so an append counts its bytes and one
 * batch; the brokers share half of the producer's buffer, because an append may begin several
 * batches. Each broker has an equal share and may exceed it by one append, so a broker that does
 * not answer cannot use up the buffer space of other brokers. Safe for use by any thread.
 */
final class BrokerShares {

  private final long bytesMax;

  /** By broker. A broker that is gone keeps its share, which does no harm. */
  private final Map<Integer, Long> unsent = new HashMap<>();

  private final long batchBytes;

  /**
   * A producer's buffer for unsent records.
   *
   * @param bytesMax size of the buffer
   * @param batchBytes bytes that the producer allocates at a time, if no single record is larger
   */
  record Buffer(long bytesMax, long batchBytes) {}

  BrokerShares(Buffer buffer) {
    this.bytesMax = buffer.bytesMax() / 2;
    this.batchBytes = buffer.batchBytes();
  }

  /** The buffer space that an append with {@code bytes} bytes takes. */
  long room(long bytes) {
    return bytes + batchBytes;
  }

  /** Takes buffer space for an append; false when there is none for now. */
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
