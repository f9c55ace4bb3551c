package io.tunnel.wire;

/** Constants of the protocol. */
public final class Protocol {

  /** Opens the payload of the first frame of a connection: "TNL1". */
  public static final int MAGIC = 0x544e4c31;

  /** The version that this code speaks. */
  public static final int VERSION = 1;

  /** The port that a server listens on when none is given. */
  public static final int PORT_DEFAULT = 7650;

  private Protocol() {}
}
