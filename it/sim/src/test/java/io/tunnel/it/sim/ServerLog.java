package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.watch.WatchedLog;
import java.util.Optional;

/** The changes of a partition in a world of one server. */
record ServerLog(World world, PartitionTruth truth) implements WatchedLog {

  @Override
  public int partition() {
    return truth.id;
  }

  @Override
  public void learn() {
    world.machine.learn();
  }

  @Override
  public Optional<PartitionTruth.Change> at(long position) {
    return position >= 1 && position <= truth.committed()
        ? Optional.of(truth.at(position))
        : Optional.empty();
  }

  @Override
  public Optional<Long> after(long position) {
    return position < truth.committed() ? Optional.of(position + 1) : Optional.empty();
  }

  @Override
  public long losses() {
    return truth.losses();
  }

  @Override
  public long restores() {
    return truth.restores();
  }

  @Override
  public boolean wasLost(long position, String text) {
    return truth.wasLost(position, text);
  }

  @Override
  public boolean isGone() {
    return world.ledger.isDropped(truth);
  }
}
