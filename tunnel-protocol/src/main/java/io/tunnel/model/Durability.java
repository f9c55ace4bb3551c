package io.tunnel.model;

/**
 * The failures that an acknowledged write survives. Channels deliver a change only when the level
 * is reached.
 */
public enum Durability {
  /** Synced to the disk: survives power loss. */
  FSYNC(1),
  /**
   * Handed to the operating system: survives a crash of the server's process, not of its machine.
   */
  OS(2);

  private final int code;

  Durability(int code) {
    this.code = code;
  }

  /** The number on the wire and on disk; never changes. */
  public int code() {
    return code;
  }
}
