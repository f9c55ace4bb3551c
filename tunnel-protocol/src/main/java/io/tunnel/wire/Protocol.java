package io.tunnel.wire;

import java.util.List;

/** Constants of the protocol. */
public final class Protocol {

  /** Opens the payload of the first frame of a connection: "TNL1". */
  public static final int MAGIC = 0x544e4c31;

  /**
   * The feature of those whose workers attach to the channels that their sessions hold, also where
   * the session's server is alone.
   */
  public static final String ATTACH = "attach";

  /** What this code speaks, as a client and as a server. */
  public static final Capabilities SPOKEN = new Capabilities(1, 1, List.of(ATTACH));

  /** The port that a server listens on when none is given. */
  public static final int PORT_DEFAULT = 7650;

  private Protocol() {}
}
