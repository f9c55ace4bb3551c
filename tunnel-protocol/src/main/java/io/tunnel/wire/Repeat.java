package io.tunnel.wire;

/** Whether a request may be sent again when nobody knows whether it arrived. */
public enum Repeat {
  /** It changes nothing, or nothing more than the first one did. */
  FREELY(true, false),

  /**
   * It changes nothing more than the first one did, and carries a {@link Control.RequestId}, so
   * that one which comes late does not undo what others have changed since.
   */
  FREELY_BY_ID(true, true),

  /** Only because it carries a {@link Control.RequestId}, under which it is done once. */
  BY_ID(false, true),

  /** It would be done twice. A push is never repeated either, because nothing answers it. */
  NEVER(false, false);

  private final boolean isFree;
  private final boolean takesId;

  Repeat(boolean isFree, boolean takesId) {
    this.isFree = isFree;
    this.takesId = takesId;
  }

  /** Whether that is so without an id as well. */
  public boolean isFree() {
    return isFree;
  }

  /** Whether a client gives it an id. */
  public boolean takesId() {
    return takesId;
  }
}
