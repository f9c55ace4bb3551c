package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotLoad;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Logs of appends and of blocks in memory, and what a reader finds there. */
public final class RestoredLogs implements ReadableAppendLog, SnapshotBlocks {

  private final FakeAppendLog log = new FakeAppendLog();
  private final Map<Integer, TreeMap<Long, Bytes>> blocks = new HashMap<>();
  private long appendsLeft = Long.MAX_VALUE;

  /** So many more records and blocks are stored; the fate of later ones is unknown. */
  public void failAfter(long appends) {
    appendsLeft = appends;
  }

  private boolean isStored() {
    appendsLeft--;
    return appendsLeft >= 0;
  }

  /** The topics are deleted. */
  public void clear(int partition) {
    log.trim(partition, log.end(partition));
    log.cut(partition, 0);
    blocks.remove(partition);
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, AppendLog.Appended appended) {
    if (isStored()) {
      log.append(partition, header, value, appended);
    } else {
      appended.done(Optional.empty());
    }
  }

  @Override
  public void append(int partition, Bytes block, SnapshotBlocks.Appended appended) {
    TreeMap<Long, Bytes> of = blocks.computeIfAbsent(partition, any -> new TreeMap<>());
    long offset = of.size();
    if (isStored()) {
      of.put(offset, block);
      appended.done(OptionalLong.of(offset));
    } else {
      appended.done(OptionalLong.empty());
    }
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public AppendTail tail(AppendTail.Listener listener) {
    return log.tail(listener);
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    return log.starts(partitions);
  }

  @Override
  public Reading reading(int partition) {
    TreeMap<Long, Bytes> of = blocks.getOrDefault(partition, new TreeMap<>());
    return offset ->
        Optional.ofNullable(of.ceilingEntry(offset))
            .map(found -> new Found(found.getKey(), found.getValue()));
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    throw new UnsupportedOperationException("nobody trims");
  }

  @Override
  public void close() {}

  private FollowCore read(int partition, List<ChangeBatch> changes, List<AppendValue> said) {
    FollowCore reader = new FollowCore(FollowState.NONE);
    for (Stored record : log.records(partition)) {
      AppendHeader header = record.header();
      FollowCore.Verdict verdict = reader.read(record.offset(), header);
      if (verdict != FollowCore.Verdict.MARKER && verdict != FollowCore.Verdict.COUNTS) {
        throw new AssertionError("record " + record.offset() + " " + header + ": " + verdict);
      }
      if (header.kind() == Kind.BATCHES) {
        changes.addAll(
            AppendBatches.parse(record.value(), partition, header.first(), header.changes()));
      } else {
        said.add(AppendValue.decode(header.kind(), record.value()));
      }
    }
    return reader;
  }

  /** The changes of a partition; every record is a marker or counts. */
  public List<ChangeBatch> changes(int partition) {
    List<ChangeBatch> changes = new ArrayList<>();
    var unused = read(partition, changes, new ArrayList<>());
    return changes;
  }

  /** The position of the next change. */
  public long next(int partition) {
    return read(partition, new ArrayList<>(), new ArrayList<>()).position();
  }

  /** The first position that readers may ask for. */
  public long firstPosition(int partition) {
    FollowState state = snapshot(partition).at();
    return new KnownLog(state, snapshot(partition).trimmed()).firstPosition();
  }

  /** The incarnations, as nodes tell them to clients. */
  public IncarnationHistory incarnations(int partition) {
    FollowState state = read(partition, new ArrayList<>(), new ArrayList<>()).state();
    return LaneView.incarnations(state.stretches(), Optional.empty());
  }

  /** The commit time of the last change, as the snapshot has the time. */
  public long lastMicros(int partition) {
    return snapshot(partition).lastMicros();
  }

  private Snapshot snapshot(int partition) {
    List<AppendValue> said = new ArrayList<>();
    var unused = read(partition, new ArrayList<>(), said);
    return (Snapshot) said.get(said.size() - 1);
  }

  /** Loads the rows of the snapshot. */
  public void load(int partition, TableStore to) throws IOException {
    Snapshot snapshot = snapshot(partition);
    SnapshotReader reader = new SnapshotReader(this, partition, snapshot.id(), snapshot.blocks());
    try (SnapshotLoad load = new SnapshotLoad(reader, to.load(partition), Bytes.EMPTY)) {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = load.step();
      }
    }
  }
}
