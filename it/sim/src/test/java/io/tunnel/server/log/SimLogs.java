package io.tunnel.server.log;

import io.tunnel.server.disk.OpenFiles;
import java.io.IOException;

/** Opens logs over simulated disks. */
public final class SimLogs {

  /** So few that segments are closed and opened again in every history. */
  private static final int OPEN_FILES_MAX = 2;

  private SimLogs() {}

  /** The log on that disk, recovered. */
  public static LocalLog open(SimDisk disk, int shard, int segmentBytesMax) throws IOException {
    return LocalLog.open(
        new OpenFiles(unused -> disk, OPEN_FILES_MAX).bounded(disk), shard, segmentBytesMax);
  }
}
