package io.tunnel.wire;

/** The role of a frame in a conversation. */
public enum FrameKind {
  /** A request; the answer is exactly one frame with the correlation id of the request. */
  REQUEST(0),
  /** Answers a request. */
  RESPONSE(1),
  /** Refuses a request: the payload is an {@link ErrorPayload}. */
  ERROR(2),
  /** A message without an answer; its correlation id is 0. */
  PUSH(3);

  private final int code;

  FrameKind(int code) {
    this.code = code;
  }

  /** The number on the wire; never changes. */
  public int code() {
    return code;
  }
}
