package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotLoad;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import io.tunnel.server.table.PartitionLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a partition from the shared logs as a backup has it: the newest intact snapshot of the
 * rows, and all changes that readers may ask for, up to an end of the log that is asked for when
 * the read begins. The leader continues meanwhile, and nothing holds back trims. A trim that the
 * log gets while the rows are read costs old changes alone, as long as the log has the records
 * after the snapshot. A read that meets another trim fails, and the caller begins again.
 *
 * <p>For one thread, which waits for the logs.
 */
public final class PartitionSave {

  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionSave.class);

  private final ReadableAppendLog log;
  private final SnapshotBlocks blocks;
  private final int partition;
  private final long waitMsMax;

  /** Takes what is read. */
  public interface Into {

    /** Begins to replace the rows, from the first entry on; also a second time. */
    PartitionLoad rows() throws IOException;

    /**
     * The rows are those of a snapshot, or none. The next change has the position {@code first}.
     */
    void begin(long first) throws IOException;

    /**
     * The batches of a record, in the order of their positions; those with answers to writers last.
     *
     * @param areFolded whether the rows of the snapshot have these changes
     */
    void changes(List<ChangeBatch> batches, boolean areFolded) throws IOException;

    /** Counts bytes of the logs. */
    void read(long bytes);
  }

  /**
   * What was read.
   *
   * @param next the position after the last change
   * @param incarnations of the positions
   */
  public record Taken(long next, IncarnationHistory incarnations) {}

  /**
   * A read of one partition.
   *
   * @param waitMsMax longest wait for a log, in milliseconds; then the read fails
   */
  public PartitionSave(
      ReadableAppendLog log, SnapshotBlocks blocks, int partition, long waitMsMax) {
    this.log = log;
    this.blocks = blocks;
    this.partition = partition;
    this.waitMsMax = waitMsMax;
  }

  /**
   * Reads the partition.
   *
   * @throws LogMovedException when the log was trimmed meanwhile
   * @throws IOException when a log cannot be read now, or no node could begin with the snapshots
   *     that the logs have
   */
  public Taken run(Into into) throws IOException {
    Optional<Snapshot> snapshot = load(into);
    try (SnapshotSearch reader = new SnapshotSearch(log, partition, waitMsMax)) {
      Reading reading = new Reading(snapshot, into);
      long start = reader.start();
      if (start > reading.former.next()) {
        throw moved(start);
      }
      reader.read(start, reader.end(), reading::take);
      return reading.taken();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Optional<Snapshot> load(Into into) throws IOException {
    SnapshotSearch.Found first = find(Set.of());
    SnapshotTries tries =
        new SnapshotTries(
            tried -> {
              requireUnmoved(first);
              return find(tried);
            });
    Optional<Snapshot> loaded =
        tries.first(
            first,
            snapshot -> load(snapshot, into),
            e -> LOGGER.error("{}; the backup looks for another snapshot", e.getMessage()));
    if (loaded.isPresent()) {
      return loaded;
    }
    requireUnmoved(first);
    if (!first.hasAll()) {
      throw new IOException(
          "the log of partition %d has not all changes, and no snapshot is intact"
              .formatted(partition));
    }
    try (PartitionLoad none = into.rows()) {
      none.finish();
    }
    return Optional.empty();
  }

  private Snapshot load(Snapshot snapshot, Into into) throws IOException {
    SnapshotReader reader = new SnapshotReader(blocks, partition, snapshot.id(), snapshot.blocks());
    try (SnapshotLoad load = new SnapshotLoad(reader, into.rows())) {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = load.step();
      }
      into.read(snapshot.blocks().bytes());
      return snapshot;
    }
  }

  /**
   * A leader may have deleted the blocks of all found snapshots, and then the log has others. A log
   * with all changes needs none.
   */
  private void requireUnmoved(SnapshotSearch.Found first) throws IOException {
    if (first.hasAll()) {
      return;
    }
    SnapshotSearch.Found now = find(Set.of());
    if (!now.equals(first)) {
      throw moved(now.start());
    }
  }

  private SnapshotSearch.Found find(Set<Long> tried) throws IOException {
    try (SnapshotSearch search = new SnapshotSearch(log, partition, waitMsMax)) {
      return search.find(tried);
    }
  }

  private LogMovedException moved(long start) {
    return new LogMovedException(
        "the snapshots of partition %d were replaced, and the log begins at offset %d"
            .formatted(partition, start));
  }

  /** Says which records count, and passes on their changes. */
  private final class Reading {
    private final Into into;

    /** What is known of the records before the snapshot. */
    private final FollowState former;

    private final FollowCore follow;
    private Trim trimmed;
    private long last;
    private boolean hasBegun;

    Reading(Optional<Snapshot> snapshot, Into into) {
      this.into = into;
      this.former = snapshot.map(Snapshot::at).orElse(FollowState.NONE);
      this.follow = new FollowCore(former);
      this.trimmed = snapshot.map(Snapshot::trimmed).orElse(Trim.NONE);
    }

    boolean take(Stored record) {
      AppendHeader header = record.header();
      boolean isFormer = record.offset() < former.next();
      boolean counts =
          isFormer
              ? former.hasCounted(record.offset(), header)
              : follow.read(record.offset(), header) == Verdict.COUNTS;
      try {
        into.read(record.value().length);
        if (counts && header.kind() == Kind.BATCHES) {
          pass(header, record.value(), isFormer);
        } else if (counts
            && header.kind() == Kind.TRIM
            && AppendValue.decode(Kind.TRIM, record.value()) instanceof Trim trim) {
          trimmed = trimmed.with(trim);
        }
        return true;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void pass(AppendHeader header, byte[] value, boolean isFormer) throws IOException {
      List<ChangeBatch> batches =
          AppendBatches.parse(value, partition, header.first(), header.changes());
      long end = header.first() + header.changes();
      if (isFormer && end <= trimmed.position()) {
        return;
      }
      if (!hasBegun) {
        begin(header.first());
      } else if (header.first() != last) {
        throw new IOException(
            "the log of partition %d has position %d where %d is the next"
                .formatted(partition, header.first(), last));
      }
      last = end;
      into.changes(batches, isFormer);
    }

    private void begin(long first) throws IOException {
      hasBegun = true;
      last = first;
      into.begin(first);
    }

    Taken taken() throws IOException {
      if (!hasBegun) {
        begin(follow.position());
      }
      if (last != follow.position()) {
        throw new IOException(
            "the log of partition %d ends at position %d, and %d is the next"
                .formatted(partition, last, follow.position()));
      }
      return new Taken(last, LaneView.incarnations(follow.state().stretches(), Optional.empty()));
    }
  }
}
