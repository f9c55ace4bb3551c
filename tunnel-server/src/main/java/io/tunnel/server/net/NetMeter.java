package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;

/** Counts network traffic; for any thread. */
public interface NetMeter {

  /** A connection opened. */
  void connected();

  /** A connection closed. */
  void disconnected();

  /** Bytes came in. */
  void received(int bytes);

  /** Bytes other than deliveries go out. */
  void sent(int bytes);

  /**
   * A delivery goes out.
   *
   * @param bytes bytes of the payload
   * @param rows changes, or rows of base data
   * @param commitMicros commit time of the oldest change, in microseconds since 1970; 0 for a batch
   *     that no log holds, such as base data
   */
  void delivered(int bytes, long rows, long commitMicros);

  /** The server closed a connection that its client would have kept. */
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
        public void delivered(int bytes, long rows, long commitMicros) {}

        @Override
        public void closed(Farewell why) {}

        @Override
        public void refused(ErrorCode code) {}
      };

  /** The reason for which the server closed a connection that its client would have kept. */
  enum Farewell {
    /** The client did not greet in time, or its place was needed before it did. */
    NOT_GREETED,
    /** The client greeted, and did not authenticate in time. */
    NOT_AUTHENTICATED,
    /** The server has as many connections as it accepts. */
    ONE_TOO_MANY,
    /** The client's address has as many connections as it may have. */
    ADDRESS_CROWDED,
    /** The client has neither sent requests nor held anything for long. */
    IDLE,
    /** A frame was not complete in time. */
    FRAME_LATE,
    /** Incomplete frames exceeded their memory, and this client's frame was the oldest. */
    FRAME_CROWDED_OUT,
    /** Unread answers exceeded their memory, and this client had read none for longest. */
    ANSWERS_UNTAKEN,
    /** The client's own unread answers exceeded the limit of one connection. */
    OWN_ANSWERS_UNTAKEN
  }
}
