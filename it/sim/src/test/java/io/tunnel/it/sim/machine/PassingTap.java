package io.tunnel.it.sim.machine;

import io.tunnel.wire.Frame;

/** A tap that passes everything it sees to the next tap. */
public abstract class PassingTap implements SimNetwork.Tap {

  private final SimNetwork.Tap next;

  /** In front of {@code next}. */
  protected PassingTap(SimNetwork.Tap next) {
    this.next = next;
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    next.sent(connection, from, frame);
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    next.received(connection, to, frame);
  }

  @Override
  public final void swallowed(SimConnection connection, SimSocket from, Frame frame) {
    next.swallowed(connection, from, frame);
  }

  @Override
  public final void cutInTwo() {
    next.cutInTwo();
  }

  @Override
  public final void full() {
    next.full();
  }

  @Override
  public void closed(SimConnection connection, SimSocket by) {
    next.closed(connection, by);
  }
}
