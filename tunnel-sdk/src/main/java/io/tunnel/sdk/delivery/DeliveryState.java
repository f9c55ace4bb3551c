package io.tunnel.sdk.delivery;

import java.util.EnumSet;
import java.util.Set;

/** States of a {@link PartitionDelivery}. */
public enum DeliveryState {
  /** No server was asked yet. */
  IDLE,
  /** A server is asked to deliver. */
  ATTACHING,
  /** A server delivers. */
  ATTACHED,
  /** The last server refused or was lost; the taker decides when to ask the next server. */
  PAUSING,
  /** The taker wants no more deliveries. */
  ENDED;

  Set<DeliveryState> next() {
    return switch (this) {
      case IDLE -> EnumSet.of(ATTACHING, ATTACHED, ENDED);
      case ATTACHING -> EnumSet.of(ATTACHED, PAUSING, ENDED);
      case ATTACHED -> EnumSet.of(PAUSING, ENDED);
      case PAUSING -> EnumSet.of(ATTACHING, ENDED);
      case ENDED -> EnumSet.noneOf(DeliveryState.class);
    };
  }
}
