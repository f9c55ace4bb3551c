package io.tunnel.wire;

import java.util.List;

/** Constants of the protocol. */
public final class Protocol {

  /** Opens the payload of the first frame of a connection: "TNL1". */
  public static final int MAGIC = 0x544e4c31;

  /** The versions and features of this code, as client and as server. */
  public static final Capabilities SPOKEN = new Capabilities(1, 1, List.of());

  /** The default port of a server. */
  public static final int PORT_DEFAULT = 7650;

  private Protocol() {}
}
