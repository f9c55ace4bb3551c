package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.List;

/**
 * Makes of the records of a partition what the local log gets of them: batches, and places without
 * rows. Commit times of changes never fall. For the shard's thread.
 */
final class LaneRecords {

  private final int partition;

  /** The commit time of the last change that counts, or is under way. */
  private long lastMicros;

  /** A time that was shown to somebody as passed; the clock may be set back. */
  private long floorMicros;

  LaneRecords(int partition, long lastMicros) {
    this.partition = partition;
    this.lastMicros = lastMicros;
  }

  long lastMicros() {
    return lastMicros;
  }

  /** No later group of this node is stamped before {@code micros}. */
  void passed(long micros) {
    floorMicros = Math.max(floorMicros, micros);
  }

  /**
   * The value of the record of a group, which is appended now.
   *
   * @param positions gets the first position of each batch
   */
  byte[] value(OpenGroup group, long nowMicros, long first, long[] positions) {
    lastMicros = Math.max(lastMicros, Math.max(floorMicros, nowMicros));
    return group.batches().encodeAppend(partition, lastMicros, first, positions);
  }

  /**
   * What the local log gets of a record that counts: the batches of the record, and its place.
   *
   * @throws io.tunnel.codec.MalformedException for a value that no leader writes
   */
  List<ChangeBatch> counted(long offset, AppendHeader header, byte[] value, Proven proven) {
    if (header.kind() != Kind.BATCHES) {
      if (header.kind() == Kind.BEGIN
          && AppendValue.decode(header.kind(), value) instanceof AppendValue.Begin begin) {
        lastMicros = Math.max(lastMicros, begin.lastMicros());
      }
      return List.of(place(offset, header, proven, header.first()));
    }
    List<ChangeBatch> batches =
        AppendBatches.parse(value, partition, header.first(), header.changes());
    // The batches of a record have one time. A leader is further than the record.
    long micros = batches.isEmpty() ? lastMicros : batches.get(0).commitMicros();
    lastMicros = Math.max(lastMicros, micros);
    batches.add(
        new RecordPlace(partition, offset, proven, header)
            .batch(header.first() + header.changes(), micros));
    return batches;
  }

  /**
   * The place of a record without changes.
   *
   * @param position of the next change
   */
  ChangeBatch place(long offset, AppendHeader header, Proven proven, long position) {
    return new RecordPlace(partition, offset, proven, header).batch(position, lastMicros);
  }
}
