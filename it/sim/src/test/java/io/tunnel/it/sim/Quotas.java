package io.tunnel.it.sim;

import io.tunnel.it.sim.rights.QuotaTruth;
import io.tunnel.model.Durability;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * In half of the closed worlds the principal of the writing programs has a quota of written rows
 * that is less than the programs need, and another principal, with a program of its own, has a
 * quota that is more than its program needs.
 */
final class Quotas {

  private static final String FRUGAL = "frugal";
  private static final long FRUGAL_ROWS_PER_SECOND = 60;

  private final SplittableRandom random;
  private final int partitions;
  private final SimProgram frugal;

  private Quotas(World world, SplittableRandom random, List<Integer> partitions) {
    this.random = random;
    this.partitions = partitions.size();
    this.frugal =
        new SimProgram(
            new ServerHome(world), random.split(), FRUGAL, Operator.TABLE, partitions, 1);
  }

  /** By a chance of their own: all other worlds are what they were. */
  static Optional<Quotas> maybe(
      World world, Optional<Administrator> administrator, List<Integer> partitions) {
    SplittableRandom random = new SplittableRandom(world.seed ^ 0x51554fL);
    if (administrator.isEmpty() || random.nextBoolean()) {
      return Optional.empty();
    }
    QuotaTruth truth =
        new QuotaTruth(
            world.rights,
            world.network,
            world.agenda::nowNanos,
            world.machine::serverNumber,
            did ->
                world.count(
                    switch (did) {
                      case SLOWED -> Happening.QUOTA_SLOWED;
                      case REFUSED -> Happening.QUOTA_REFUSED;
                    }));
    world.tap(truth);
    long rowsPerSecond = 5L + random.nextInt(25);
    administrator.get().limit("writer", rowsPerSecond);
    administrator.get().client(FRUGAL, List.of("read", "write"));
    administrator.get().limit(FRUGAL, FRUGAL_ROWS_PER_SECOND);
    truth.bound("writer", rowsPerSecond);
    truth.bound(FRUGAL, FRUGAL_ROWS_PER_SECOND);
    return Optional.of(new Quotas(world, random, partitions));
  }

  /** Lets the frugal program write now and then. */
  void act() {
    if (random.nextInt(3) == 0) {
      frugal.write(random.nextInt(partitions), 1 + random.nextInt(2), Durability.FSYNC);
    }
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  boolean isDone() {
    return frugal.isDone();
  }
}
