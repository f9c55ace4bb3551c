package io.tunnel.model;

/** Why a server deleted a row by itself. */
public enum DeletionCause {
  /** The time to live of the row was over. */
  EXPIRED,
  /** The row session ended that the row was bound to. */
  SESSION_ENDED
}
