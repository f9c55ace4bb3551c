package io.tunnel.server.replica.snapshot;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.PartitionLoad;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Begins a replica with a snapshot, one block a step: the former entries of the partition are gone,
 * and the state of the replica is stored after the last entry. A load that ends before leaves
 * entries without a state, which no node serves.
 */
public final class SnapshotLoad implements Closeable {

  private final SnapshotReader reader;
  private final PartitionLoad into;
  private final Optional<Bytes> state;
  private boolean isComplete;

  /**
   * Loads what {@code reader} reads.
   *
   * @param state of the replica, to be stored when the snapshot is complete
   */
  public SnapshotLoad(SnapshotReader reader, PartitionLoad into, Bytes state) {
    this(reader, into, Optional.of(state));
  }

  /** Loads what {@code reader} reads into the table of a single server, which stores no state. */
  public SnapshotLoad(SnapshotReader reader, PartitionLoad into) {
    this(reader, into, Optional.empty());
  }

  private SnapshotLoad(SnapshotReader reader, PartitionLoad into, Optional<Bytes> state) {
    this.reader = reader;
    this.into = into;
    this.state = state;
  }

  /**
   * Loads a block; true when the replica can be served. After an exception the load is over: close
   * it, and begin another one.
   *
   * @throws SnapshotDamagedException as {@link SnapshotReader#step()}
   * @throws io.tunnel.server.disk.DiskFullException when the disk is full
   * @throws IOException when the log of blocks cannot be read, or the disk fails
   */
  public boolean step() throws IOException {
    if (!isComplete && reader.step(into::put)) {
      if (state.isPresent()) {
        into.finish(state.get());
      } else {
        into.finish();
      }
      isComplete = true;
    }
    return isComplete;
  }

  @Override
  public void close() throws IOException {
    reader.close();
    into.close();
  }
}
