package io.tunnel.it.sim.watch;

import io.tunnel.it.sim.Trace;
import io.tunnel.it.sim.machine.Agenda;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.sdk.Endpoint;
import java.util.List;

/** A world as the programs of users know it: of one server, or of a cluster. */
public interface ClientHome {

  SimNetwork network();

  Agenda agenda();

  Trace trace();

  /** Where a client connects to. */
  List<Endpoint> endpoints();

  /** Starts a process of a client. */
  SimProcess process(String name);

  /** The process ends at once, whatever is under way. */
  void end(SimProcess process);

  /** Runs something whose complaints nobody must swallow. */
  void watch(Runnable action);

  /** What is known of a partition. */
  WatchedLog log(int partition);

  /** Whether servers may be below the level at which writes have numbers. */
  default boolean mayLackNumbers() {
    return false;
  }
}
