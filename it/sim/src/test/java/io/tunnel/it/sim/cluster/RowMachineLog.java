package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.node.SimEngine;
import io.tunnel.server.node.SimRowEngine;
import io.tunnel.server.replica.SimReplicaRows;
import io.tunnel.server.replica.SimReplicas;
import java.util.ArrayList;
import java.util.List;

/** A log with a record for each row. */
final class RowMachineLog implements MachineLog {

  private final ClusterWorld world;
  private final String name;
  private List<SimDisk> disks = new ArrayList<>();
  private List<SimReplicaRows> rows = new ArrayList<>();
  private SimLogClient log;

  RowMachineLog(ClusterWorld world, String name) {
    this.world = world;
    this.name = name;
    format();
  }

  private void format() {
    disks = new ArrayList<>();
    rows = new ArrayList<>();
    for (int i = 0; i < Machine.SHARDS; i++) {
      disks.add(new SimDisk(() -> {}));
      rows.add(new SimReplicaRows(world.random.split()));
    }
  }

  @Override
  public SimEngine start(SimProcess process, SimThread kafka, SimThread control, int levelMax) {
    log = new SimLogClient(name, world.levels.forms(levelMax), world.logs.rows, world.reach, kafka);
    return new SimRowEngine(
        new SimReplicas.Storage(disks, rows), log, log, world.logs.rows.lagMicros());
  }

  @Override
  public void died(Machine.Loss loss) {
    log.died();
    switch (loss) {
      case NOTHING -> disks.replaceAll(disk -> disk.afterDeath(() -> {}));
      case UNSYNCED -> disks.replaceAll(disk -> disk.afterPowerLoss(world.random, () -> {}));
      case EVERYTHING -> format();
    }
    if (loss != Machine.Loss.EVERYTHING) {
      rows.replaceAll(SimReplicaRows::afterDeath);
    }
  }
}
