package io.tunnel.it.sim;

import io.tunnel.it.sim.rights.QuotaTruth;
import io.tunnel.it.sim.rights.RightsStory;
import io.tunnel.model.Durability;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * In half of the closed worlds the principal of the writing programs has a quota of written rows
 * that is less than the programs need, and another principal, with a program of its own, has a
 * quota that is more than its program needs.
 */
public final class Quotas {

  private static final String FRUGAL = "frugal";
  private static final long FRUGAL_ROWS_PER_SECOND = 60;

  private final SplittableRandom random;
  private final int partitions;
  private final SimProgram frugal;

  private Quotas(
      SimWorld<?> world, SplittableRandom random, String table, List<Integer> partitions) {
    this.random = random;
    this.partitions = partitions.size();
    this.frugal = new SimProgram(world, random.split(), FRUGAL, table, partitions, 1);
  }

  /**
   * By a chance of their own: all other worlds are what they were.
   *
   * @param administrator of a closed world
   */
  public static Optional<Quotas> maybe(
      SimWorld<?> world,
      Optional<RightsStory> administrator,
      String table,
      List<Integer> partitions) {
    SplittableRandom random = new SplittableRandom(world.seed ^ 0x51554fL);
    if (administrator.isEmpty() || random.nextBoolean()) {
      return Optional.empty();
    }
    QuotaTruth truth =
        new QuotaTruth(
            world.network().tap(), world.network(), world.agenda::nowNanos, world::count);
    world.tap(truth);
    long rowsPerSecond = 5L + random.nextInt(25);
    administrator.get().limit("writer", written(rowsPerSecond));
    administrator.get().client(FRUGAL, List.of("read", "write"));
    administrator.get().limit(FRUGAL, written(FRUGAL_ROWS_PER_SECOND));
    truth.bound("writer", rowsPerSecond);
    truth.bound(FRUGAL, FRUGAL_ROWS_PER_SECOND);
    return Optional.of(new Quotas(world, random, table, partitions));
  }

  private static QuotaLimit written(long rowsPerSecond) {
    return new QuotaLimit("writtenRowsPerSecond", rowsPerSecond);
  }

  /** Lets the frugal program write now and then. */
  public void act() {
    if (random.nextInt(3) == 0) {
      frugal.write(random.nextInt(partitions), 1 + random.nextInt(2), Durability.FSYNC);
    }
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  public boolean isDone() {
    return frugal.isDone();
  }
}
