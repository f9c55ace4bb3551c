package io.tunnel.it.table;

import io.tunnel.it.process.FrameProxy;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;

/** Swallows some of the answers to writes. */
final class AnswerSwallower implements FrameProxy.Watcher {

  private final int oneIn;
  private int answers;

  /** Swallows one answer of so many. */
  AnswerSwallower(int oneIn) {
    this.oneIn = oneIn;
  }

  @Override
  public synchronized boolean passes(boolean isFromClient, Frame frame) {
    boolean isAnswer = frame.operation() == Operation.WRITE && frame.kind() != FrameKind.REQUEST;
    return !isAnswer || ++answers % oneIn != 0;
  }

  @Override
  public void lost(Frame frame) {
    // The client knows nothing of the frame's fate, as of that of a swallowed answer.
  }

  synchronized int swallowed() {
    return answers / oneIn;
  }
}
