package io.tunnel.sdk.delivery;

import java.util.Optional;

/**
 * The user of a {@link PartitionDelivery}: a channel of a worker, or a partition of a reader. All
 * calls report events of the server that is attached at the time.
 */
public interface DeliveryTaker {

  /**
   * A server is ready to deliver, and waits for credit.
   *
   * @param incarnation incarnation of the delivered changes, if the server knows it
   */
  void attached(Optional<Long> incarnation);

  /** The server works: it has delivered, or was attached for long enough. Failures start at 0. */
  void served();

  /**
   * A delivery of changes or rows.
   *
   * @param payload a delivery as {@link io.tunnel.wire.Delivery} encodes it
   * @throws io.tunnel.codec.MalformedException when the payload cannot be decoded: the caller
   *     closes the connection
   */
  void delivered(byte[] payload);

  /** No further change exists up to {@code position}. */
  void settled(long position);

  /** No change exists behind {@code position}: the taker ends the delivery. */
  void ended(long position);

  /**
   * The server has refused, or its connection is lost. The delivery is PAUSING: the taker attaches
   * it elsewhere, lets it {@linkplain PartitionDelivery#pause pause}, or ends it.
   */
  void failed(Throwable reason);

  /** The pause after a failure is over: the taker attaches the delivery, or ends it. */
  void pauseOver();
}
