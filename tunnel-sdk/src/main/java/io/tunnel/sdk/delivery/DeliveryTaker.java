package io.tunnel.sdk.delivery;

import java.util.Optional;

/**
 * For whom a {@link PartitionDelivery} is: a channel of a worker, or a partition of a reader. What
 * the taker is told comes from the server that is attached at the time.
 */
public interface DeliveryTaker {

  /**
   * A server delivers, as far as it is given credit.
   *
   * @param incarnation of what it delivers, if it said so
   */
  void attached(Optional<Long> incarnation);

  /** The server has served for so long that what failed before is forgotten. */
  void served();

  /**
   * Changes or rows.
   *
   * @param payload as {@link io.tunnel.wire.Delivery} encodes them
   * @throws io.tunnel.codec.MalformedException when they cannot be read: the connection is given up
   */
  void delivered(byte[] payload);

  /** No change follows what was delivered, up to there. */
  void settled(long position);

  /** Nothing comes behind that: the taker ends the delivery. */
  void ended(long position);

  /**
   * The server has refused, or its connection is lost, and the delivery is PAUSING: the taker
   * attaches it elsewhere, now or later, or ends it.
   */
  void failed(Throwable reason);
}
