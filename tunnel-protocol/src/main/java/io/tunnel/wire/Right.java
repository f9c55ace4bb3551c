package io.tunnel.wire;

/**
 * Who may use an operation: whoever has this right on what the request names. A server that
 * authenticates nobody grants all of them to everybody.
 */
public enum Right {
  /** Everybody, also who has not said who it is. */
  ANYBODY,
  /** Whoever has any right on what is named; a list names only what its asker may see. */
  SEE,
  /** Whoever may read rows and changes of the table. */
  READ,
  /** Whoever may write rows of the table. */
  WRITE,
  /** Whoever may work on the tunnel. */
  CONSUME,
  /** Whoever was given what is named, on this connection or for its session. */
  HOLD,
  /** Whoever may create the table or the tunnel. */
  CREATE,
  /** Whoever may give the table other options. */
  ALTER,
  /** Whoever may drop the table or delete the tunnel. */
  DROP,
  /** Whoever may move, pause and look after the tunnel. */
  OPERATE,
  /** Whoever looks after the server. */
  ADMIN,
  /** Only servers say this, and nobody asks for it. */
  SERVER
}
