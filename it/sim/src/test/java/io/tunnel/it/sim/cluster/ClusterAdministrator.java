package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.rights.RightsStory;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** The administrator of a closed cluster. */
final class ClusterAdministrator implements RightsStory.Home {

  private static final long LOOK_MS = 50;

  /** Time after which each node has read a change of the catalog, without faults. */
  static final long FOLLOWED_MS = 2_000;

  private final ClusterWorld world;
  private final ClusterClient client;
  private final RightsStory story;

  private static final long PLANS = 0x6b657973L;
  private static final Set<String> READER = Set.of("reader");

  /** Where {@code hasReader}, somebody reads without a tunnel. */
  ClusterAdministrator(ClusterWorld world, long seed, boolean hasReader) {
    this.world = world;
    this.client = new ClusterClient(world, "administrator");
    this.story = new RightsStory(this, world.rights, seed, plan(seed, hasReader));
  }

  private static RightsStory.Plan plan(long seed, boolean hasReader) {
    SplittableRandom own = new SplittableRandom(seed ^ PLANS);
    boolean mayRotate = own.nextBoolean();
    boolean isReaderTouched = own.nextInt(4) > 0 && hasReader;
    return new RightsStory.Plan(
        mayRotate, isReaderTouched ? Set.of() : READER, isReaderTouched ? READER : Set.of());
  }

  /** Gives everybody keys and rights; nothing goes wrong meanwhile. */
  void begin() {
    story.begin();
    world.run(FOLLOWED_MS);
  }

  /** What the administrator does to clients. */
  RightsStory story() {
    return story;
  }

  void act() {
    story.act();
  }

  /** Gives back what was taken, and lets time pass until each node knows. */
  void giveAllBack() {
    story.giveAllBack();
    world.run(FOLLOWED_MS);
  }

  @Override
  public CompletableFuture<Frame> ask(
      Operation operation, byte[] payload, Optional<RefusedException> refused) {
    return client.ask(client.node(refused.flatMap(ClusterClient::leader)), operation, payload);
  }

  @Override
  public void later(long nanos, Runnable action) {
    client.later(nanos, action);
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
    world.truth.disturbed();
    world.count(
        switch (act) {
          case WITHDRAW -> ClusterHappening.RIGHT_WITHDRAWN;
          case DENY -> ClusterHappening.RIGHT_DENIED;
          case REVOKE -> ClusterHappening.KEY_REVOKED;
          case ROTATE -> ClusterHappening.KEY_ROTATED;
          case GIVE_BACK -> ClusterHappening.GIVEN_BACK;
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
