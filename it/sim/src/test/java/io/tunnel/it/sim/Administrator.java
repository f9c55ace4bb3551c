package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.rights.RightsStory;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The administrator of a closed world, with a connection of its own. */
final class Administrator implements RightsStory.Home {

  private static final long LOOK_MS = 20;
  private static final RightsStory.Plan ANYTHING = new RightsStory.Plan(true, Set.of(), Set.of());

  private final World world;
  private final SimClient client;
  private final RightsStory story;

  Administrator(World world, long seed) {
    this.world = world;
    this.client = new SimClient(world.network, world.process("administrator"));
    this.story = new RightsStory(this, world.rights, seed, ANYTHING);
  }

  /** Gives everybody keys and rights; nothing goes wrong meanwhile. */
  void begin() {
    story.begin();
  }

  /** What the administrator does to clients. */
  RightsStory story() {
    return story;
  }

  void act() {
    story.act();
  }

  /** Gives back what was taken, and lets time pass until that is done. */
  void giveAllBack() {
    story.giveAllBack();
  }

  @Override
  public CompletableFuture<Frame> ask(
      Operation operation, byte[] payload, Optional<RefusedException> refused) {
    return client.request(operation, payload);
  }

  @Override
  public void later(long nanos, Runnable action) {
    client.leaveAndThen(nanos, action);
  }

  @Override
  public SimKeys keys() {
    return world.network.keys();
  }

  @Override
  public void trace(String text) {
    world.trace.add(text);
  }

  @Override
  public void count(RightsStory.Act act) {
    world.count(
        switch (act) {
          case WITHDRAW -> Happening.RIGHT_WITHDRAWN;
          case DENY -> Happening.RIGHT_DENIED;
          case REVOKE -> Happening.KEY_REVOKED;
          case ROTATE -> Happening.KEY_ROTATED;
          case GIVE_BACK -> Happening.GIVEN_BACK;
        });
  }

  @Override
  public long pass() {
    world.run(LOOK_MS);
    return LOOK_MS;
  }

  @Override
  public long nowNanos() {
    return world.agenda.nowNanos();
  }
}
