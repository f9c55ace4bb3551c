package io.tunnel.sdk.read;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * The world of the SDK's reader: a thread of a simulated process, and connections that live on it.
 */
public final class SimReadPort implements ReadPort {

  private final SimNetwork network;
  private final SimProcess process;
  private final LongSupplier nanos;
  private final SimLoop loop;

  /** A new thread of {@code process}, whose time is {@code nanos}. */
  public SimReadPort(SimNetwork network, SimProcess process, LongSupplier nanos) {
    this.network = network;
    this.process = process;
    this.nanos = nanos;
    this.loop = new SimLoop(process.thread("loop"));
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return SimClient.connect(network, process.name(), node.toString(), loop, receiver);
  }

  @Override
  public boolean execute(Runnable task) {
    loop.execute(task);
    return process.isAlive();
  }

  @Override
  public void later(long pauseNanos, Runnable task) {
    loop.thread().after(pauseNanos, task);
  }

  @Override
  public long nowNanos() {
    return nanos.getAsLong();
  }

  @Override
  public double chance() {
    return process.random().nextDouble();
  }

  @Override
  public void close() {
    // The thread goes on until connections that were just told to close have done so.
  }
}
