package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimProgram;
import io.tunnel.it.sim.Trace;
import io.tunnel.it.sim.machine.Agenda;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.sdk.Endpoint;
import java.util.List;

/** The world of clusters as the home of programs and watchers. */
record ClusterHome(ClusterWorld world) implements Watcher.Home, SimProgram.Home {

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
    return world.endpoints();
  }

  @Override
  public SimProcess process(String name) {
    return world.process(name);
  }

  @Override
  public void end(SimProcess process) {
    world.end(process);
  }

  @Override
  public void watch(Runnable action) {
    world.watch(action);
  }

  @Override
  public WatchedLog log(int partition) {
    return world.truth.log(partition);
  }

  @Override
  public void count(Watcher.Did what) {
    world.count(
        switch (what) {
          case STARTED -> ClusterHappening.WATCHER_STARTED;
          case CRASHED -> ClusterHappening.WATCHER_CRASHED;
          case GIVEN_ROW -> ClusterHappening.WATCHER_GIVEN_ROW;
          case LOST_HISTORY -> ClusterHappening.WATCHER_LOST_HISTORY;
          case COMPARED -> ClusterHappening.WATCHER_COMPARED;
        });
  }

  @Override
  public WrittenTruth written() {
    return world.truth.written();
  }

  @Override
  public boolean mayLackNumbers() {
    return !world.hasNumbers;
  }

  /** A cluster refuses atomic batches, and below a level columns in answers. */
  @Override
  public boolean hasAllFeatures() {
    return false;
  }

  @Override
  public void killed() {
    world.count(ClusterHappening.PROGRAM_KILLED);
  }

  void count(WrittenTruth.Did what) {
    world.count(
        switch (what) {
          case IN_DOUBT -> ClusterHappening.BATCH_IN_DOUBT;
          case NOT_SENT -> ClusterHappening.ROW_NOT_SENT;
          case REPEATED -> ClusterHappening.BATCH_REPEATED;
        });
  }
}
