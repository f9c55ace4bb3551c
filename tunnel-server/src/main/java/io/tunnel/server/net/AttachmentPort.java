package io.tunnel.server.net;

import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.DeliveryPort;

/** The connection of a client that attaches; for its event loop. */
interface AttachmentPort extends DeliveryPort {

  /** What the connection delivers. */
  CarriedChannels carried();

  /** Says that a channel cannot be delivered any further. */
  void pushFailure(int handle, RefusedException reason);
}
