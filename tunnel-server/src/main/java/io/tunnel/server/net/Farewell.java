package io.tunnel.server.net;

/** Why the server closed a connection that a client would have kept. */
public enum Farewell {
  /** The client did not greet in time, or its place was needed before it did. */
  NOT_GREETED,
  /** There are as many connections as are accepted. */
  ONE_TOO_MANY,
  /** A frame was not whole in time. */
  FRAME_LATE,
  /** Partial frames took more memory than they may, and this one was the oldest. */
  FRAME_CROWDED_OUT,
  /** Answers took more memory than they may, and this client had taken none for longest. */
  ANSWERS_UNTAKEN
}
