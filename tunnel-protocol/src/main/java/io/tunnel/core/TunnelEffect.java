package io.tunnel.core;

/** An order of a tunnel's state machine; carried out in sequence. */
public sealed interface TunnelEffect {

  /** The session now holds the channel and processes it after {@code checkpointed}. */
  record Assign(String sessionId, ChannelKey channel, long epoch, long checkpointed)
      implements TunnelEffect {}

  /** The session must finish its work and give the channel back. */
  record Revoke(String sessionId, ChannelKey channel, long epoch) implements TunnelEffect {}

  /** The session no longer holds the channel. */
  record Take(String sessionId, ChannelKey channel, long epoch, TakeReason reason)
      implements TunnelEffect {}

  /** The channel is TERMINATED at its end; stored before later effects are carried out. */
  record Finish(ChannelKey channel, long end) implements TunnelEffect {}

  /** The session is over; its channels were taken before. */
  record SessionOver(String sessionId, OverReason reason) implements TunnelEffect {}

  /** Why a session no longer holds a channel. */
  enum TakeReason {
    /** The session gave the channel back. */
    RELEASED(false, "it was released"),
    /** The worker cannot continue with the channel. */
    STOPPED(false, "its worker stopped it"),
    /** The worker closed the session, or its connection was closed. */
    SESSION_CLOSED(false, "its session was closed"),
    /** The lease ran out, or an operator ended the session. */
    SESSION_ENDED(true, "its session has ended"),
    /** The session did not give the channel back in time. */
    DEADLINE(true, "it was not released within the deadline"),
    /** An operator moved its progress. */
    MOVED(true, "an operator moved its progress");

    private final boolean isFenced;
    private final String text;

    TakeReason(boolean isFenced, String text) {
      this.isFenced = isFenced;
      this.text = text;
    }

    /** Whether the worker must be notified. */
    public boolean isFenced() {
      return isFenced;
    }

    /** A text for people. */
    public String text() {
      return text;
    }
  }

  /** Why a session is over. */
  enum OverReason {
    /** The worker closed the session. */
    CLOSED(TakeReason.SESSION_CLOSED, "closed by its worker"),
    /** The connection was closed. */
    DISCONNECTED(TakeReason.SESSION_CLOSED, "its connection closed"),
    /** No heartbeat came during the lease. */
    LEASE(TakeReason.SESSION_ENDED, "its lease ran out"),
    /** An operator ended the session. */
    OPERATOR(TakeReason.SESSION_ENDED, "an operator ended it");

    private final TakeReason taken;
    private final String text;

    OverReason(TakeReason taken, String text) {
      this.taken = taken;
      this.text = text;
    }

    /** The reason for taking the session's channels. */
    public TakeReason taken() {
      return taken;
    }

    /** A text for people. */
    public String text() {
      return text;
    }
  }
}
