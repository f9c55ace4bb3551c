package io.tunnel.server.replica.append;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Begin;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Settled;
import io.tunnel.server.replica.append.RestoredEpochs.Step;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import io.tunnel.server.replica.snapshot.SnapshotWriter.State;
import io.tunnel.server.table.PartitionScan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Writes the log of one restored partition into an empty log: epochs with the former incarnations,
 * the former changes at their positions, and two snapshots of the rows, which are read back: as
 * after a trim of a leader, one damaged snapshot costs no rows. No node reads the log meanwhile,
 * since no catalog names the table yet.
 *
 * <p>Every doubt fails the restore, which begins again with new topics. For one thread, which waits
 * for the logs.
 */
public final class PartitionRestore {

  /** Records in flight. */
  static final int APPENDS_MAX = 64;

  /** Bytes of batches after which a record ends; one batch may have more. */
  static final int RECORD_BYTES_MAX = 1 << 20;

  /** Bytes of records in flight; one record may have more. */
  private static final long IN_FLIGHT_BYTES_MAX = 16L << 20;

  private static final long BYTES_PER_SECOND_MAX = 1L << 40;
  private static final String AGAIN = "; begin again";

  private final Target target;
  private final Saved saved;
  private final LongConsumer progress;
  private final AtomicLong unanswered;
  private final LeadCore<Boolean> lead = new LeadCore<>(FollowState.NONE, APPENDS_MAX);
  private final BlockingQueue<Runnable> told = new LinkedBlockingQueue<>();
  private Optional<ChangeBatch> ahead = Optional.empty();
  private Optional<IOException> trouble = Optional.empty();

  /** Records whose fate the log has not reported yet. */
  private int inFlight;

  private long bytesInFlight;
  private long lastMicros;
  private long changes;

  /**
   * The logs of the restored cluster.
   *
   * @param markers random numbers, no two alike
   * @param waitMsMax longest wait for an answer of a log, in milliseconds; then the restore fails
   */
  public record Target(
      ReadableAppendLog log, SnapshotBlocks blocks, LongSupplier markers, long waitMsMax) {}

  /** Gives the changes of a saved partition in the order of their positions. */
  @FunctionalInterface
  public interface Changes {
    /** The next batch with rows; empty after the last one. */
    Optional<ChangeBatch> next() throws IOException;
  }

  /**
   * A saved partition.
   *
   * @param incarnations of its positions
   * @param least the incarnation of the first write after the restore is at least this number
   * @param extent of the changes that {@code changes} gives
   */
  public record Saved(
      int partition, IncarnationHistory incarnations, long least, Extent extent, Changes changes) {}

  /**
   * Dense changes.
   *
   * @param first the position of the first change
   * @param next the position after the last change; the rows end there, too
   * @param lastMicros no change before {@code first} was committed later; 0 if there is none
   */
  public record Extent(long first, long next, long lastMicros) {}

  /** Gives the rows of a saved partition. */
  @FunctionalInterface
  public interface Rows {
    /** All entries of the partition after the last change; to be closed. */
    PartitionScan scan() throws IOException;
  }

  /**
   * What was written.
   *
   * @param blockBytes of one snapshot
   */
  public record Written(long changes, long rows, long blockBytes) {}

  /**
   * A restore of one partition.
   *
   * @param progress receives the bytes that were written since the call before, and is called
   *     before each write; an exception of {@code progress} ends the restore before the write
   * @param unanswered counts the records, and the snapshots, that may still land: no log has told
   *     where they are. Any thread counts
   */
  public PartitionRestore(
      Target target, Saved saved, LongConsumer progress, AtomicLong unanswered) {
    this.target = target;
    this.saved = saved;
    this.progress = progress;
    this.unanswered = unanswered;
    this.lastMicros = saved.extent().lastMicros();
  }

  /**
   * Writes the log.
   *
   * @param rows is asked for one scan after the other
   * @throws LogSilentException when a log does not answer, or does not know the fate of a record
   * @throws IOException when the log has foreign records, or the saved changes cannot be read; the
   *     topics cannot be used then
   */
  public Written run(Rows rows) throws IOException {
    for (Step step : steps()) {
      if (step instanceof Step.Marker marker) {
        boolean isFirst = lead.follow().next() == 0;
        mark(marker.incarnation());
        if (isFirst) {
          // Says that the log alone is not the partition: the saved log lacks answers to writers.
          append(begin(), Kind.BEGIN, 1);
        }
      } else if (step instanceof Step.Begin begin) {
        append(begin(), Kind.BEGIN, begin.first());
      } else if (step instanceof Step.Changes part) {
        copyUpTo(part.next());
      }
    }
    Trim trimmed = Trim.NONE;
    if (saved.extent().first() > 1) {
      trimmed = new Trim(saved.extent().first(), 0, 0);
      append(trimmed.encode(), Kind.TRIM, 0);
    }
    settleAll();
    SnapshotContent content = snapshot(rows, trimmed);
    for (int written = 1; written < SnapshotSearch.SNAPSHOTS_LEFT; written++) {
      content = snapshot(rows, trimmed);
    }
    return new Written(changes, content.rows(), content.bytes());
  }

  private SnapshotContent snapshot(Rows rows, Trim trimmed) throws IOException {
    long id = SnapshotWriter.id(lead.follow().next(), 1);
    SnapshotContent content;
    try (PartitionScan scan = rows.scan()) {
      content = blocks(id, scan);
    }
    Snapshot named = new Snapshot(id, lead.follow().state(), lastMicros, trimmed, content);
    verify(id, content);
    append(named.encode(), Kind.SNAPSHOT, 0);
    settleAll();
    return content;
  }

  private List<Step> steps() {
    return RestoredEpochs.of(
        saved.incarnations(), saved.least(), saved.extent().first(), saved.extent().next());
  }

  private byte[] begin() {
    long incarnation = lead.follow().newest().incarnation();
    return new Begin(incarnation, lastMicros).encode();
  }

  private void mark(long incarnation) throws IOException {
    settleAll();
    AppendHeader marker = lead.claim(target.markers().getAsLong(), incarnation);
    byte[] value = new AppendValue.Leader("restore", Long.toString(incarnation)).encode();
    send(
        marker,
        value,
        offset -> {
          requireNext(offset);
          var unused = lead.read(offset, marker);
        });
    settleAll();
  }

  private void requireNext(long offset) {
    if (offset != lead.follow().next()) {
      fail("a record landed at offset " + offset + ", where " + lead.follow().next() + " is next");
    }
  }

  private void copyUpTo(long next) throws IOException {
    List<ChangeBatch> record = new ArrayList<>();
    int bytes = 0;
    for (Optional<ChangeBatch> batch = peek();
        batch.isPresent() && batch.get().lastPosition() < next;
        batch = peek()) {
      ahead = Optional.empty();
      boolean isOther =
          !record.isEmpty()
              && (record.get(0).commitMicros() != batch.get().commitMicros()
                  || bytes + batch.get().byteCount() > RECORD_BYTES_MAX);
      if (isOther) {
        appendBatches(record, bytes);
        record.clear();
        bytes = 0;
      }
      record.add(batch.get());
      bytes += batch.get().byteCount();
    }
    if (!record.isEmpty()) {
      appendBatches(record, bytes);
    }
  }

  private Optional<ChangeBatch> peek() throws IOException {
    if (ahead.isEmpty()) {
      ahead = saved.changes().next();
    }
    return ahead;
  }

  private void appendBatches(List<ChangeBatch> batches, int bytes) throws IOException {
    ByteSink value = new ByteSink(bytes);
    int rows = 0;
    for (ChangeBatch batch : batches) {
      long expected = saved.extent().first() + changes + rows;
      if (batch.basePosition() != expected) {
        throw new IOException(
            "the backup has a change at position %d where %d is the next"
                .formatted(batch.basePosition(), expected));
      }
      value.write(batch.array(), batch.offset(), batch.byteCount());
      rows += batch.rowCount();
      lastMicros = Math.max(lastMicros, batch.commitMicros());
    }
    awaitSpace();
    AppendHeader header = lead.append(Kind.BATCHES, rows, made -> true);
    changes += rows;
    send(header, value.toByteArray(), offset -> acknowledged(header, offset));
    progress.accept(bytes);
  }

  /** Appends a record without changes. */
  private void append(byte[] value, Kind kind, long first) throws IOException {
    settleAll();
    AppendHeader header =
        kind == Kind.BEGIN ? lead.begin(first, made -> true) : lead.append(kind, 0, made -> true);
    send(header, value, offset -> acknowledged(header, offset));
  }

  private void acknowledged(AppendHeader header, long offset) {
    for (Settled<Boolean> one : lead.acknowledged(header, offset)) {
      if (one.outcome() != Outcome.COUNTS) {
        fail("the record " + header + " does not count");
      }
    }
  }

  private void send(AppendHeader header, byte[] value, LongConsumer landed) throws IOException {
    requireNoTrouble();
    progress.accept(0);
    inFlight++;
    bytesInFlight += value.length;
    unanswered.incrementAndGet();
    target
        .log()
        .append(
            saved.partition(),
            header.encode(),
            value,
            placed -> {
              placed.ifPresent(at -> unanswered.decrementAndGet());
              told.add(
                  () -> {
                    inFlight--;
                    bytesInFlight -= value.length;
                    placed.ifPresentOrElse(
                        at -> landed.accept(at.offset()),
                        () -> fail(silent("the log does not say whether it has a record")));
                  });
            });
  }

  private void fail(String why) {
    fail(new IOException(why + AGAIN));
  }

  private void fail(IOException why) {
    trouble = trouble.or(() -> Optional.of(why));
  }

  private static LogSilentException silent(String why) {
    return new LogSilentException(why + AGAIN);
  }

  private void awaitSpace() throws IOException {
    while (inFlight > 0
        && (!lead.mayAppend() || target.log().isFull() || bytesInFlight >= IN_FLIGHT_BYTES_MAX)) {
      takeNext();
    }
  }

  private void settleAll() throws IOException {
    while (inFlight > 0) {
      takeNext();
    }
    if (!lead.underWay().isEmpty()) {
      fail("another program writes to the log");
    }
    requireNoTrouble();
  }

  private void takeNext() throws IOException {
    try {
      Runnable next = told.poll(target.waitMsMax(), TimeUnit.MILLISECONDS);
      if (next == null) {
        fail(silent("the log did not answer within " + target.waitMsMax() + " ms"));
      } else {
        next.run();
      }
      requireNoTrouble();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void requireNoTrouble() throws IOException {
    if (trouble.isPresent()) {
      throw trouble.get();
    }
  }

  private SnapshotContent blocks(long id, PartitionScan rows) throws IOException {
    SnapshotWriter.Source source = new SnapshotWriter.Source(saved.partition(), id, rows);
    unanswered.incrementAndGet();
    try (SnapshotWriter writer =
        new SnapshotWriter(source, target.blocks(), told::add, Long.MAX_VALUE)) {
      long bytes = 0;
      while (writer.state() == State.WRITING || writer.state() == State.SETTLING) {
        if (writer.isWaiting()) {
          takeNext();
        }
        progress.accept(0);
        // A restore has the disk alone, so no step waits.
        var unused = writer.step(writer.dueNanos(), BYTES_PER_SECOND_MAX);
        progress.accept(writer.bytes() - bytes);
        bytes = writer.bytes();
      }
      if (writer.state() == State.NOT_STORED) {
        throw silent(writer.why());
      } else if (writer.state() != State.COMPLETE) {
        throw new IOException(writer.why() + AGAIN);
      }
      unanswered.decrementAndGet();
      return writer.content();
    }
  }

  /** The log without old changes depends on the snapshots. */
  private void verify(long id, SnapshotContent content) throws IOException {
    try (SnapshotReader reader =
        new SnapshotReader(target.blocks(), saved.partition(), id, content)) {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = reader.step();
      }
    }
  }
}
