package io.tunnel.sdk.delivery;

import io.tunnel.wire.ChannelEnd;

/** Whose handle something is said under on a {@link DeliveryLink}. */
public interface DeliveryReceiver {

  /**
   * Changes or rows.
   *
   * @param payload as {@link io.tunnel.wire.Delivery} encodes them
   * @throws io.tunnel.codec.MalformedException when they cannot be read: the connection is given up
   */
  void delivered(byte[] payload);

  /** Nothing comes behind that. */
  void ended(ChannelEnd end);

  /** No change follows what was delivered, up to there. */
  void settled(ChannelEnd upTo);

  /** Nothing more is said under the handle: the server has refused, or the connection is lost. */
  void failed(Throwable reason);
}
