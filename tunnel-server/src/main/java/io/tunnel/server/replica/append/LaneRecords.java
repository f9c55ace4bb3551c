package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.List;
import java.util.Optional;

/**
 * Makes of the records of a partition what the local log gets of them: batches, and places without
 * rows. Commit times of changes never fall. For the shard's thread.
 */
final class LaneRecords {

  /** What a record has in addition to its value: the header, and what the log writes around it. */
  private static final int RECORD_BYTES = 80;

  private final int partition;

  /** The commit time of the last change that counts, or is under way. */
  private long lastMicros;

  /** What the records that count say. */
  private Trim trimmed;

  /** Of all records that count since the lane began. */
  private long countedBytes;

  /** A time that was shown to a reader as passed; the clock may be set back. */
  private long floorMicros;

  /** The records after those of a state. */
  LaneRecords(int partition, LaneState state) {
    this.partition = partition;
    this.lastMicros = state.lastMicros();
    this.trimmed = state.trimmed();
  }

  long lastMicros() {
    return lastMicros;
  }

  /** What readers must not ask for. */
  Trim trimmed() {
    return trimmed;
  }

  /** Bytes of all records that count since the lane began. */
  long countedBytes() {
    return countedBytes;
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
    countedBytes += RECORD_BYTES + value.length;
    if (header.kind() != Kind.BATCHES) {
      return List.of(control(new RecordPlace(partition, offset, proven, header), value));
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

  private ChangeBatch control(RecordPlace place, byte[] value) {
    AppendValue said = AppendValue.decode(place.header().kind(), value);
    Optional<Trim> trim = Optional.empty();
    if (said instanceof AppendValue.Begin begin) {
      lastMicros = Math.max(lastMicros, begin.lastMicros());
    } else if (said instanceof AppendValue.Snapshot snapshot) {
      trim = Optional.of(snapshot.trimmed());
    } else if (said instanceof Trim told) {
      trim = Optional.of(told);
    }
    trimmed = trim.map(trimmed::with).orElse(trimmed);
    return new RecordPlace(partition, place.offset(), place.proven(), place.header(), trim)
        .batch(place.header().first(), lastMicros);
  }

  /**
   * The place of a record without changes.
   *
   * @param next knows the position of the next change
   */
  ChangeBatch place(long offset, AppendHeader header, Proven proven, FollowCore next) {
    return new RecordPlace(partition, offset, proven, header).batch(next.position(), lastMicros);
  }
}
