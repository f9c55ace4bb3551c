package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.CrashDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Logs on disks in memory, for the rooms that stand on the log. */
public final class TestLogs {

  private TestLogs() {}

  /** Opens the log that {@code disk} holds. */
  public static LocalLog open(CrashDisk disk, int shard) throws IOException {
    return LocalLog.open(disk, shard, 1 << 20);
  }

  /** Opens the log that {@code disk} holds, with segments of so many bytes. */
  public static LocalLog open(CrashDisk disk, int shard, int segmentBytesMax) throws IOException {
    return LocalLog.open(disk, shard, segmentBytesMax);
  }

  /** All committed batches of a partition. */
  public static List<ChangeBatch> batches(ChangeReader log, int partition) throws IOException {
    return batches(log, partition, 1);
  }

  /** All committed batches of a partition from a position on. */
  public static List<ChangeBatch> batches(ChangeReader log, int partition, long position)
      throws IOException {
    return batches(log.plan(partition, position, Integer.MAX_VALUE));
  }

  /** How many rows there are. */
  public static int rows(List<ChangeBatch> batches) {
    return batches.stream().mapToInt(ChangeBatch::rowCount).sum();
  }

  /** What was planned. */
  public static List<ChangeBatch> batches(Extents plan) throws IOException {
    List<ChangeBatch> batches = new ArrayList<>();
    ByteBuffer target = ByteBuffer.allocate(plan.bytes());
    plan.read(target);
    for (int at = 0; at < target.limit(); ) {
      ChangeBatch batch = ChangeBatch.parse(target.array(), at, target.limit());
      batches.add(batch);
      at += batch.byteCount();
    }
    return batches;
  }
}
