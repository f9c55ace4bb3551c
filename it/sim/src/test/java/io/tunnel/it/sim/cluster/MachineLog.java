package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.node.SimEngine;

/** What a machine keeps of the partitions of the log, and how its nodes reach the log. */
interface MachineLog {

  /**
   * The engine of a node that starts.
   *
   * @param levelMax the highest level of the build that the node runs
   */
  SimEngine start(SimProcess process, SimThread kafka, SimThread control, int levelMax);

  /** The process of the node is no more, and the machine loses this. */
  void died(Machine.Loss loss);

  /** Nothing is kept any more; the world has ended. */
  default void end() {}
}
