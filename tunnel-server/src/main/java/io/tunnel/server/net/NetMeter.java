package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;

/** Is told what crosses the network; called on any thread. */
public interface NetMeter {

  /** A connection opened. */
  void connected();

  /** A connection closed. */
  void disconnected();

  /** Bytes came in. */
  void received(int bytes);

  /** Bytes other than deliveries go out. */
  void sent(int bytes);

  /** A delivery goes out. */
  void delivered(int bytes);

  /** A connection was closed that its client would have kept. */
  void closed(Farewell why);

  /** A request was refused. */
  void refused(ErrorCode code);

  /** Counts nothing. */
  NetMeter NONE =
      new NetMeter() {
        @Override
        public void connected() {}

        @Override
        public void disconnected() {}

        @Override
        public void received(int bytes) {}

        @Override
        public void sent(int bytes) {}

        @Override
        public void delivered(int bytes) {}

        @Override
        public void closed(Farewell why) {}

        @Override
        public void refused(ErrorCode code) {}
      };

  /** Why the server closed a connection that a client would have kept. */
  enum Farewell {
    /** The client did not greet in time, or its place was needed before it did. */
    NOT_GREETED,
    /** The client greeted, and did not prove in time who it is. */
    NOT_AUTHENTICATED,
    /** There are as many connections as are accepted. */
    ONE_TOO_MANY,
    /** The client's address has as many connections as one may have. */
    ADDRESS_CROWDED,
    /** The client has asked and held nothing for long. */
    IDLE,
    /** A frame was not whole in time. */
    FRAME_LATE,
    /** Partial frames took more memory than they may, and this one was the oldest. */
    FRAME_CROWDED_OUT,
    /** Answers took more memory than they may, and this client had taken none for longest. */
    ANSWERS_UNTAKEN,
    /** The client's own answers took more memory than those of one connection may. */
    OWN_ANSWERS_UNTAKEN
  }
}
