package io.tunnel.it.sim.seeds;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.sim.World;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import org.junit.jupiter.api.Test;

class WatchedTest {

  /** Breaks with the first frame that it sees. */
  private static final class Breaking implements SimNetwork.Tap {

    @Override
    public void sent(SimConnection connection, SimSocket from, Frame frame) {
      throw Invariant.NO_GAP.broken("as it was told");
    }

    @Override
    public void received(SimConnection connection, SimSocket to, Frame frame) {
      // It broke before.
    }
  }

  @Test
  void what_breaks_while_a_frame_is_sent_ends_the_world_though_netty_catches_it() {
    World world = new World(1, line -> {});
    world.machine.start();
    world.tap(new Breaking());
    SimClient client = new SimClient(world.network, world.process("client"));
    var unused = client.request(Operation.LIST_TABLES, new byte[0]);
    assertThatThrownBy(() -> world.run(1_000))
        .isInstanceOf(Invariant.Broken.class)
        .hasMessage("no-gap: as it was told");
  }
}
