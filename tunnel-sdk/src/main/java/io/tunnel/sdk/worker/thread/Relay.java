package io.tunnel.sdk.worker.thread;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Frame;

/** Forwards the pushes and the loss of a connection until it is cut. */
public final class Relay implements PushReceiver {

  private final PushReceiver target;
  private final Runnable whenLost;
  private boolean isCut;

  public Relay(PushReceiver target) {
    this(target, () -> {});
  }

  /** {@code whenLost} runs before the target learns that the connection is lost. */
  public Relay(PushReceiver target, Runnable whenLost) {
    this.target = target;
    this.whenLost = whenLost;
  }

  public void cut() {
    isCut = true;
  }

  @Override
  public void pushed(Frame frame) {
    if (!isCut) {
      target.pushed(frame);
    }
  }

  @Override
  public void lost(ConnectionException reason) {
    if (!isCut) {
      isCut = true;
      whenLost.run();
      target.lost(reason);
    }
  }
}
