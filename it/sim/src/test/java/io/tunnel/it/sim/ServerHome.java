package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.Agenda;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.truth.Holding;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.sdk.Endpoint;
import java.util.List;
import java.util.Optional;

/** The world of one server as the home of programs and watchers. */
record ServerHome(World world) implements Watcher.Home, SimProgram.Home {

  /** The changes of a partition. */
  private record Log(World world, PartitionTruth truth) implements WatchedLog {

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

  @Override
  public SimNetwork network() {
    return world.network;
  }

  @Override
  public Agenda agenda() {
    return world.agenda;
  }

  @Override
  public Trace trace() {
    return world.trace;
  }

  @Override
  public List<Endpoint> endpoints() {
    return List.of(Endpoint.of("server:1"));
  }

  @Override
  public SimProcess process(String name) {
    return world.process(name);
  }

  @Override
  public void end(SimProcess process) {
    world.kill(process, Holding.Reason.WORKER_DIED);
  }

  @Override
  public void watch(Runnable action) {
    world.watch(action);
  }

  @Override
  public WatchedLog log(int partition) {
    return new Log(world, world.ledger.partition(partition));
  }

  @Override
  public void count(Watcher.Did what) {
    world.count(
        switch (what) {
          case STARTED -> Happening.WATCHER_STARTED;
          case CRASHED -> Happening.WATCHER_CRASHED;
          case GIVEN_ROW -> Happening.WATCHER_GIVEN_ROW;
          case LOST_HISTORY -> Happening.WATCHER_LOST_HISTORY;
          case COMPARED -> Happening.WATCHER_COMPARED;
        });
  }

  @Override
  public WrittenTruth written() {
    return world.wiretap.written();
  }

  @Override
  public boolean hasAllFeatures() {
    return true;
  }

  @Override
  public void killed() {
    world.count(Happening.PROGRAM_KILLED);
  }

  void count(WrittenTruth.Did what) {
    world.count(
        switch (what) {
          case IN_DOUBT -> Happening.WRITE_IN_DOUBT;
          case NOT_SENT -> Happening.WRITE_NOT_SENT;
          case REPEATED -> Happening.WRITE_REPEATED;
        });
  }
}
