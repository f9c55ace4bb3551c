package io.tunnel.sdk.transport;

import io.netty.bootstrap.Bootstrap;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.sdk.security.AccessKey;
import java.util.Optional;

/** The outside world of the SDK's clients: a thread of a simulated process, and its sockets. */
public final class SimPorts {

  private SimPorts() {}

  /** The world of one client, which authenticates with {@code key}, if any. */
  public static ClientPort of(SimNetwork network, SimProcess process, Optional<AccessKey> key) {
    SimLoop loop = new SimLoop(process.thread("loop"));
    EventLoops.Place place =
        new EventLoops.Place(
            loop,
            () ->
                new Bootstrap()
                    .group(loop)
                    .channelFactory(() -> network.socket(process.name(), loop, key))
                    .disableResolver(),
            Optional::empty);
    return new ClientPort("simulated", place, network.agenda()::nowNanos, process.random().split());
  }
}
