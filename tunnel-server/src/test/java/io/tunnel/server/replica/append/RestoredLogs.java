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
import io.tunnel.server.replica.snapshot.SnapshotWriter;
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

  /** Whether no append is answered, and no reader gets a record. */
  public boolean isSilent;

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
    if (isSilent) {
      return;
    } else if (isStored()) {
      log.append(partition, header, value, appended);
    } else {
      appended.done(Optional.empty());
    }
  }

  @Override
  public void append(int partition, Bytes block, SnapshotBlocks.Appended appended) {
    TreeMap<Long, Bytes> of = blocks.computeIfAbsent(partition, any -> new TreeMap<>());
    long offset = of.isEmpty() ? 0 : of.lastKey() + 1;
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
    return new PromptTail(listener);
  }

  /** Is run before a snapshot is read. */
  public Runnable beforeBlocks = () -> {};

  /** Is run before each look at a start or an end, and before each read. */
  public Runnable meanwhile = () -> {};

  /** Tells all records at once, a few in each event. */
  private final class PromptTail implements AppendTail {
    private static final int RECORDS = 3;
    private final Listener listener;
    private long visits;

    PromptTail(Listener listener) {
      this.listener = listener;
    }

    @Override
    public long follow(int partition, long offset, int leaderEpoch) {
      visits++;
      if (isSilent) {
        return visits;
      }
      FakeAppendLog.FakeTail tail = log.tail(listener);
      listener.happened(new Begun(partition, visits));
      var unusedVisit = tail.follow(partition, offset, leaderEpoch);
      meanwhile.run();
      tail.run(RECORDS);
      return visits;
    }

    @Override
    public void unfollow(int partition) {}

    @Override
    public void pause(int partition) {}

    @Override
    public void resume(int partition) {}

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
      meanwhile.run();
      return log.tail(listener).ends(partitions);
    }

    @Override
    public void close() {}
  }

  private final Map<Integer, LeadCore<Boolean>> leaders = new HashMap<>();
  private final Map<Integer, AppendValue.Trim> trims = new HashMap<>();
  private long markers;

  /** A leader claims a partition at this time; its incarnation is later. */
  public void claim(int partition, long nowMs) {
    LeadCore<Boolean> lead =
        leaders.computeIfAbsent(partition, any -> new LeadCore<>(FollowState.NONE, 9));
    markers++;
    AppendHeader marker = lead.claim(markers, nowMs);
    land(partition, marker, new AppendValue.Leader("n", "1").encode());
    var unused = lead.read(log.end(partition) - 1, marker);
  }

  private void land(int partition, AppendHeader header, byte[] value) {
    log.append(partition, header.encode(), value, placed -> {});
  }

  private void lead(int partition, Kind kind, int changes, byte[] value) {
    LeadCore<Boolean> lead = leaders.get(partition);
    AppendHeader header = lead.append(kind, changes, made -> true);
    land(partition, header, value);
    var unused = lead.acknowledged(header, log.end(partition) - 1);
  }

  /** The leader appends a batch. */
  public void append(ChangeBatch batch) {
    byte[] value = batch.copy().array();
    lead(batch.partition(), Kind.BATCHES, batch.rowCount(), value);
  }

  /**
   * A node claims a restored partition before the node has read the record of a snapshot.
   *
   * @param index 0 for the oldest snapshot
   */
  public void claimAtSnapshot(int partition, int index) {
    LeadCore<Boolean> lead = new LeadCore<>(snapshots(partition).get(index).at(), 9);
    markers++;
    land(partition, lead.claim(markers, 9), new AppendValue.Leader("n", "1").encode());
  }

  /**
   * The snapshots that a new replica tries, the newest first; nothing for the log from its start.
   */
  public List<Long> beginning(int partition) throws IOException {
    try (SnapshotSearch search = new SnapshotSearch(this, partition, 60_000)) {
      SnapshotSearch.Found found = search.find();
      return found.snapshots().stream().map(Snapshot::id).toList();
    }
  }

  /** The ids of the last two records, which are snapshots; the last one first. */
  public List<Long> lastSnapshots(int partition) {
    List<AppendValue> said = new ArrayList<>();
    var unused = read(partition, new ArrayList<>(), said);
    return List.of(
        ((Snapshot) said.get(said.size() - 1)).id(), ((Snapshot) said.get(said.size() - 2)).id());
  }

  /** A record of a former leader lands, or a copy of a record. */
  public void landAgain(int partition, int index) {
    List<Stored> all = List.copyOf(log.records(partition));
    Stored any = all.get(index % all.size());
    if (any.header().kind() != Kind.MARKER) {
      land(partition, any.header(), any.value());
      LeadCore<Boolean> lead = leaders.get(partition);
      var unused = lead.read(log.end(partition) - 1, any.header());
      claim(partition, 1);
    }
  }

  /** The leader appends a snapshot of these rows, which have all changes. */
  public void snapshot(int partition, TableStore rows, long lastMicros) {
    FollowState at = leaders.get(partition).follow().state();
    long id = SnapshotWriter.id(at.next(), 1);
    try (SnapshotWriter writer =
        new SnapshotWriter(
            new SnapshotWriter.Source(partition, id, rows.scanEntries(partition)),
            this,
            Runnable::run,
            Long.MAX_VALUE)) {
      while (writer.step(writer.dueNanos(), 1L << 40) == SnapshotWriter.State.WRITING) {
        // One slice after the other.
      }
      AppendValue.Trim trimmed = trims.getOrDefault(partition, AppendValue.Trim.NONE);
      lead(
          partition,
          Kind.SNAPSHOT,
          0,
          new Snapshot(id, at, lastMicros, trimmed, writer.content()).encode());
    }
  }

  /** The leader trims the log to its second newest snapshot, if it has two. */
  public void trim(int partition) {
    trim(partition, false);
  }

  /** As {@link #trim}; the table keeps all changes that the log has. */
  public void trimBlocks(int partition) {
    trim(partition, true);
  }

  private void trim(int partition, boolean areKept) {
    List<Snapshot> all = new ArrayList<>();
    for (Stored record : log.records(partition)) {
      if (record.header().kind() == Kind.SNAPSHOT
          && leaders.get(partition).follow().hasCounted(record.offset(), record.header())) {
        all.add((Snapshot) AppendValue.decode(Kind.SNAPSHOT, record.value()));
      }
    }
    if (all.size() > 1) {
      Snapshot second = all.get(all.size() - 2);
      AppendValue.Trim before = trims.getOrDefault(partition, AppendValue.Trim.NONE);
      AppendValue.Trim trim =
          new AppendValue.Trim(
              areKept ? before.position() : second.at().position(),
              areKept ? before.offset() : second.at().next(),
              second.blocks().firstOffset());
      lead(partition, Kind.TRIM, 0, trim.encode());
      trims.put(partition, trim);
      log.trim(partition, trim.offset());
      blocks.get(partition).headMap(trim.block()).clear();
    }
  }

  /** No change before is read any more. */
  public long trimmed(int partition) {
    return trims.getOrDefault(partition, AppendValue.Trim.NONE).position();
  }

  /** A block of the newest snapshot is lost. */
  public void loseBlock(int partition) {
    blocks.get(partition).pollLastEntry();
  }

  /** The incarnations as the leader tells them to clients. */
  public IncarnationHistory ledIncarnations(int partition) {
    return LaneView.incarnations(
        leaders.get(partition).follow().state().stretches(), Optional.empty());
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    meanwhile.run();
    return log.starts(partitions);
  }

  @Override
  public Reading reading(int partition) {
    beforeBlocks.run();
    TreeMap<Long, Bytes> of = blocks.getOrDefault(partition, new TreeMap<>());
    return offset ->
        Optional.ofNullable(of.ceilingEntry(offset))
            .map(found -> new Found(found.getKey(), found.getValue()));
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    return log.deleteBefore(partition, offset);
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
    return new KnownLog(1, state, snapshot(partition).trimmed()).firstPosition();
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

  private List<Snapshot> snapshots(int partition) {
    List<AppendValue> said = new ArrayList<>();
    var unused = read(partition, new ArrayList<>(), said);
    return said.stream().filter(Snapshot.class::isInstance).map(Snapshot.class::cast).toList();
  }

  private Snapshot snapshot(int partition) {
    List<Snapshot> all = snapshots(partition);
    return all.get(all.size() - 1);
  }

  /** Loads the rows of the newest snapshot. */
  public void load(int partition, TableStore to) throws IOException {
    load(partition, snapshot(partition), to);
  }

  /** Loads the rows of the oldest snapshot. */
  public void loadOldest(int partition, TableStore to) throws IOException {
    load(partition, snapshots(partition).get(0), to);
  }

  private void load(int partition, Snapshot snapshot, TableStore to) throws IOException {
    SnapshotReader reader = new SnapshotReader(this, partition, snapshot.id(), snapshot.blocks());
    try (SnapshotLoad load = new SnapshotLoad(reader, to.load(partition), Bytes.EMPTY)) {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = load.step();
      }
    }
  }
}
