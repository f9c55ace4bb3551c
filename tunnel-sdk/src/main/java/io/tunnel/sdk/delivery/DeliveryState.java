package io.tunnel.sdk.delivery;

import java.util.EnumSet;
import java.util.Set;

/** What a {@link PartitionDelivery} does. */
public enum DeliveryState {
  /** Nothing yet: no server was asked. */
  IDLE,
  /** It asks a server for deliveries. */
  ATTACHING,
  /** It is delivered to. */
  ATTACHED,
  /** A server has refused or was lost: its taker says when to try again. */
  PAUSING,
  /** It wants no more. */
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
