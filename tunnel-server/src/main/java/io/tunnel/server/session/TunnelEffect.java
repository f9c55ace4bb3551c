package io.tunnel.server.session;

import io.tunnel.server.catalog.tunnel.ChannelKey;

/** What a tunnel's state machine wants done; in order. */
sealed interface TunnelEffect {

  /** The session now holds the channel; what is behind {@code checkpointed} is its to process. */
  record Assign(String sessionId, ChannelKey channel, long epoch, long checkpointed)
      implements TunnelEffect {}

  /** The session is asked to finish and give the channel back. */
  record Revoke(String sessionId, ChannelKey channel, long epoch) implements TunnelEffect {}

  /** The session holds the channel no more. */
  record Take(String sessionId, ChannelKey channel, long epoch, TakeReason reason)
      implements TunnelEffect {}

  /** The channel is TERMINATED at its end; to be stored before what follows is done. */
  record Finish(ChannelKey channel, long end) implements TunnelEffect {}

  /** The session is over; its channels were taken before. */
  record SessionOver(String sessionId, OverReason reason) implements TunnelEffect {}

  /** Why a session holds a channel no more. */
  enum TakeReason {
    /** It gave it back. */
    RELEASED(false, "it was released"),
    /** It cannot go on with it. */
    STOPPED(false, "its worker stopped it"),
    /** Its worker closed it, or its connection is gone. */
    SESSION_CLOSED(false, "its session was closed"),
    /** It was ended without its worker asking for that. */
    SESSION_ENDED(true, "its session has ended"),
    /** It did not give it back in time. */
    DEADLINE(true, "it was not released within the deadline"),
    /** An operator moved its progress. */
    MOVED(true, "an operator moved its progress");

    private final boolean isFenced;
    private final String text;

    TakeReason(boolean isFenced, String text) {
      this.isFenced = isFenced;
      this.text = text;
    }

    /** Whether the worker does not know yet, and is told. */
    boolean isFenced() {
      return isFenced;
    }

    /** For people. */
    String text() {
      return text;
    }
  }

  /** Why a session is over. */
  enum OverReason {
    /** Its worker closed it. */
    CLOSED(TakeReason.SESSION_CLOSED, "closed by its worker"),
    /** Its connection is gone. */
    DISCONNECTED(TakeReason.SESSION_CLOSED, "its connection closed"),
    /** No heartbeat came for as long as its lease is. */
    LEASE(TakeReason.SESSION_ENDED, "its lease ran out"),
    /** An operator ended it. */
    OPERATOR(TakeReason.SESSION_ENDED, "an operator ended it");

    private final TakeReason taken;
    private final String text;

    OverReason(TakeReason taken, String text) {
      this.taken = taken;
      this.text = text;
    }

    /** Why its channels are taken. */
    TakeReason taken() {
      return taken;
    }

    /** For people. */
    String text() {
      return text;
    }
  }
}
