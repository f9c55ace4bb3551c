package io.tunnel.wire;

/**
 * The right that an operation needs, on what its request names. A server that authenticates nobody
 * grants all rights to everybody.
 */
public enum Right {
  /** No right: clients may use the operation before they have said who they are. */
  ANYBODY,
  /**
   * To see that what is named exists. Any other right on it includes this one; a list names only
   * what its client may see.
   */
  SEE,
  /** To read rows and changes of the table. */
  READ,
  /** To write rows of the table. */
  WRITE,
  /** To consume the tunnel. */
  CONSUME,
  /** To use what the server has given to this connection, or to its session. */
  HOLD,
  /** To create the table or the tunnel. */
  CREATE,
  /** To give the table other options. */
  ALTER,
  /** To drop the table or delete the tunnel. */
  DROP,
  /** To move, pause and look after the tunnel. */
  OPERATE,
  /** To look after the server. */
  ADMIN,
  /** No client has it: only servers say what needs it. */
  SERVER
}
