package io.tunnel.it.sim.seeds;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.wire.Frame;
import java.util.function.Consumer;

/**
 * Tells the world what a tap breaks with: the code that sends or reads the frame may catch
 * everything that is thrown, as Netty does.
 */
public final class Watched implements SimNetwork.Tap {

  private final SimNetwork.Tap tap;
  private final Consumer<Invariant.Broken> whenBroken;

  public Watched(SimNetwork.Tap tap, Consumer<Invariant.Broken> whenBroken) {
    this.tap = tap;
    this.whenBroken = whenBroken;
  }

  private void watch(Runnable action) {
    try {
      action.run();
    } catch (Invariant.Broken e) {
      whenBroken.accept(e);
      throw e;
    }
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    watch(() -> tap.sent(connection, from, frame));
  }

  @Override
  public void received(SimConnection connection, SimSocket to, Frame frame) {
    watch(() -> tap.received(connection, to, frame));
  }

  @Override
  public void swallowed(SimConnection connection, SimSocket from, Frame frame) {
    watch(() -> tap.swallowed(connection, from, frame));
  }

  @Override
  public void cutInTwo() {
    tap.cutInTwo();
  }

  @Override
  public void full() {
    tap.full();
  }

  @Override
  public void closed(SimConnection connection, SimSocket by) {
    watch(() -> tap.closed(connection, by));
  }
}
