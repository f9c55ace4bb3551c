package io.tunnel.wire;

/** What part of a conversation a frame is. */
public enum FrameKind {
  /** Asks for something; is answered by exactly one frame with the same correlation id. */
  REQUEST(0),
  /** Answers a request. */
  RESPONSE(1),
  /** Refuses a request: the payload is an {@link ErrorPayload}. */
  ERROR(2),
  /** Says something that has no answer; its correlation id is 0. */
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
