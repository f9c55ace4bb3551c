package io.tunnel.server.log;

import java.io.IOException;

/** Opens logs over simulated disks. */
public final class SimLogs {

  private SimLogs() {}

  /** The log on that disk, recovered. */
  public static LocalLog open(SimDisk disk, int shard, int segmentBytesMax) throws IOException {
    return LocalLog.open(disk, shard, segmentBytesMax);
  }
}
