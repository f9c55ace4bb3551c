package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimClient;
import io.tunnel.it.sim.SimLoop;
import io.tunnel.it.sim.SimProcess;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.read.ReadPort;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/**
 * The world of the SDK's reader: a thread of a simulated process, and connections that live on it.
 */
final class ReaderPort implements ReadPort {

  private final ClusterWorld world;
  private final SimProcess process;
  private final SimLoop loop;

  ReaderPort(ClusterWorld world, SimProcess process) {
    this.world = world;
    this.process = process;
    this.loop = new SimLoop(process.thread("loop"));
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return SimClient.connect(world.network, process.name(), node.toString(), loop, receiver);
  }

  @Override
  public boolean execute(Runnable task) {
    loop.execute(task);
    return process.isAlive();
  }

  @Override
  public void later(Runnable task, long pauseNanos) {
    loop.thread().after(pauseNanos, task);
  }

  @Override
  public long nanos() {
    return world.agenda.nowNanos();
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
