package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.SnapshotFigures;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.SnapshotStep.Ask;
import io.tunnel.server.replica.append.SnapshotStep.Delete;
import io.tunnel.server.replica.append.SnapshotStep.Kind;
import io.tunnel.server.replica.append.SnapshotStep.Recall;
import io.tunnel.server.replica.append.SnapshotStep.Search;
import io.tunnel.server.replica.append.SnapshotStep.Take;
import io.tunnel.server.replica.append.SnapshotStep.Verify;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the steps of {@link SnapshotsCore}: takes snapshots of the partitions that the node leads,
 * reads back the snapshots of the others, trims logs and deletes records.
 *
 * <p>One thread owns the state. The thread looks at the views of all lanes once a second, and at
 * the snapshot that is taken or read back each time that {@link #tick} is called. A node holds the
 * four blocks of {@link SnapshotWriter} that are in flight, and one block that is read back.
 */
public final class Snapshots implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Snapshots.class);

  /** Between two looks at all replicas. */
  static final long SEE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SnapshotLanes lanes;
  private final Ports ports;
  private final Shard.Clock clock;
  private final SnapshotsCore core;
  private final Map<Integer, Long> verified = new ConcurrentHashMap<>();
  private final AtomicBoolean isTicking = new AtomicBoolean();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final SnapshotCounts counts = new SnapshotCounts();

  private Optional<SnapshotTaking> taking = Optional.empty();
  private Optional<SnapshotReading> reading = Optional.empty();
  private OptionalLong seenNanos = OptionalLong.empty();
  private volatile boolean isStopped;
  private volatile SnapshotFigures figures = SnapshotFigures.NONE;

  /**
   * What snapshots need of the node.
   *
   * @param starts lets replicas be rebuilt
   * @param others replicas on other nodes
   */
  record Ports(
      LaneStarts starts,
      ReadableAppendLog log,
      SnapshotBlocks blocks,
      Threads threads,
      OtherReplicas others,
      Limits limits) {}

  /**
   * Threads of a node.
   *
   * @param owner one thread, which must not wait
   * @param waiting threads that may wait
   * @param waits how the waiting threads wait for the log
   */
  public record Threads(Executor owner, Executor waiting, Waits waits) {

    /** Milliseconds after which a silent log fails a search for snapshots. */
    private static final long WAIT_MS_MAX = 30_000;

    /** Threads of the JVM. */
    public Threads(Executor owner, Executor waiting) {
      this(owner, waiting, Waits.ofThread(WAIT_MS_MAX));
    }
  }

  /**
   * Limits of a node.
   *
   * @param trimWaitNanos between the record of a snapshot and the trim that relies on the snapshot
   */
  record Limits(DueCore.Limits due, SnapshotWriter.Limits snapshot, long trimWaitNanos) {

    /** At 32 MiB/s, a partition of 56 GiB is written in 30 minutes. */
    static final Limits USUAL =
        new Limits(
            DueCore.Limits.USUAL, SnapshotWriter.Limits.ofNode(TimeUnit.MINUTES.toNanos(30)));

    /** The usual wait before a trim. */
    Limits(DueCore.Limits due, SnapshotWriter.Limits snapshot) {
      this(due, snapshot, TrimCore.WAIT_NANOS);
    }

    /** What a node is begun with. Tests of whole processes set the two properties of the JVM. */
    static Limits ofNode() {
      long logBytesMin = Long.getLong("tunnel.trial.snapshotBytes", USUAL.due.logBytesMin());
      long waitMs =
          Long.getLong(
              "tunnel.trial.trimWaitMs", TimeUnit.NANOSECONDS.toMillis(USUAL.trimWaitNanos));
      return new Limits(
          USUAL.due.withLogBytesMin(logBytesMin),
          USUAL.snapshot,
          TimeUnit.MILLISECONDS.toNanos(waitMs));
    }
  }

  Snapshots(SnapshotLanes lanes, Ports ports, Shard.Clock clock) {
    this.lanes = lanes;
    this.ports = ports;
    this.clock = clock;
    this.core = new SnapshotsCore(ports.limits().due(), ports.limits().trimWaitNanos());
  }

  /** Does what is due; to be called many times a second, by any thread. */
  void tick() {
    if (!isStopped && isTicking.compareAndSet(false, true)) {
      post(
          () -> {
            isTicking.set(false);
            work();
          });
    }
  }

  private void post(Runnable action) {
    ports
        .threads()
        .owner()
        .execute(
            () -> {
              if (!isStopped) {
                run(action);
              }
            });
  }

  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOGGER.error("a step for snapshots failed; the next look resumes", e);
    }
  }

  /** The newest snapshot of a partition that this node has read back; for any thread. */
  Optional<Long> verified(int partition) {
    return Optional.ofNullable(verified.get(partition));
  }

  /** For any thread; at most a second old. */
  SnapshotFigures figures() {
    return figures;
  }

  /**
   * Ends what is under way, and releases RocksDB's snapshot; for any thread. The owner's thread
   * completes the answer.
   */
  CompletableFuture<Void> stop() {
    isStopped = true;
    ports
        .threads()
        .owner()
        .execute(
            () -> {
              taking.ifPresent(SnapshotTaking::close);
              reading.ifPresent(SnapshotReading::cancel);
              taking = Optional.empty();
              reading = Optional.empty();
              var unused = stopped.complete(null);
            });
    return stopped;
  }

  /** Waits for {@link #stop}. */
  @Override
  public void close() {
    var unused = stop().join();
  }

  private void work() {
    long now = clock.nanos();
    if (seenNanos.isEmpty() || now - seenNanos.getAsLong() >= SEE_NANOS) {
      seenNanos = OptionalLong.of(now);
      seeAll(now);
      figures = counts.figures(core, ports.starts().damaged(), now);
    }
    write();
    readBack();
    for (List<SnapshotStep> steps = core.look(now); !steps.isEmpty(); steps = core.look(now)) {
      steps.forEach(this::begin);
    }
  }

  private void seeAll(long now) {
    Set<Integer> present = lanes.partitions();
    for (int partition : core.partitions()) {
      if (!present.contains(partition)) {
        core.gone(partition);
        verified.remove(partition);
      }
    }
    for (int partition : present) {
      lanes
          .view(partition)
          .ifPresent(
              view -> {
                core.see(partition, seen(partition, view), now);
                core.verified(partition)
                    .ifPresentOrElse(
                        id -> verified.put(partition, id), () -> verified.remove(partition));
              });
    }
  }

  private SeenReplica seen(int partition, LaneView view) {
    return new SeenReplica(
        view.counted().lane(),
        view.served(),
        view.log(),
        view.counted().named(),
        view.counted().bytes(),
        lanes.keptBytes(partition),
        ports.others().has(partition));
  }

  private void begin(SnapshotStep step) {
    if (step instanceof Recall recall) {
      recall(recall);
    } else if (step instanceof Take take) {
      lanes.scan(take.partition(), take.epoch(), scanned -> scanned(take, scanned));
    } else if (step instanceof Verify verify) {
      reading.ifPresent(SnapshotReading::cancel);
      reading = Optional.of(new SnapshotReading(verify, ports.blocks(), ports.threads().waiting()));
    } else if (step instanceof Ask ask) {
      ports
          .others()
          .verified(ask.partition())
          .thenAccept(id -> post(() -> id.ifPresent(found -> core.verifiedElsewhere(ask, found))));
    } else if (step instanceof Search search) {
      lanes
          .kept(search.partition())
          .whenComplete((kept, failure) -> post(() -> kept(search, kept, failure)));
    } else if (step instanceof Delete delete) {
      (delete.of() == Kind.LOG
              ? ports.log().deleteBefore(delete.partition(), delete.offset())
              : ports.blocks().deleteBefore(delete.partition(), delete.offset()))
          .whenComplete((done, failure) -> post(() -> deleted(delete, failure)));
    }
  }

  private void recall(Recall step) {
    if (step.offsets().isEmpty()) {
      recalled(step, List.of());
      return;
    }
    ports
        .threads()
        .waiting()
        .execute(
            () -> {
              try (SnapshotSearch search =
                  new SnapshotSearch(ports.log(), step.partition(), ports.threads().waits())) {
                List<Snapshot> found = search.at(step.offsets());
                post(() -> recalled(step, found));
              } catch (IOException | RuntimeException e) {
                LOGGER.warn(
                    "cannot read the records of former snapshots of partition {}: {}; will retry",
                    step.partition(),
                    e.getMessage());
                post(() -> core.notRecalled(step, clock.nanos()));
              }
            });
  }

  private void recalled(Recall step, List<Snapshot> found) {
    long after = found.isEmpty() ? 0 : found.get(found.size() - 1).at().position() - 1;
    core.recalled(step, found, lanes.bytesAfter(step.partition(), after), clock.nanos());
  }

  /** By the shard's thread. */
  private void scanned(Take step, Optional<SnapshotLanes.Scanned> scanned) {
    ports
        .threads()
        .owner()
        .execute(
            () -> {
              if (!isStopped && scanned.isPresent() && core.isTaking(step)) {
                core.began(step);
                taking =
                    Optional.of(
                        new SnapshotTaking(
                            step,
                            scanned.get(),
                            ports.blocks(),
                            this::wrote,
                            ports.limits().snapshot()));
                write();
              } else {
                scanned.ifPresent(each -> each.scan().close());
                core.failed(step, clock.nanos());
              }
            });
  }

  /** The log of blocks has said something. */
  private void wrote(Runnable acknowledged) {
    post(
        () -> {
          acknowledged.run();
          write();
        });
  }

  private void write() {
    if (taking.isEmpty()) {
      return;
    }
    SnapshotTaking one = taking.get();
    Take step = one.step();
    if (!core.isTaking(step) || !lanes.isLed(step.partition(), step.epoch())) {
      taking = Optional.empty();
      one.close();
      failed(step, "another node leads the partition");
      return;
    }
    SnapshotWriter.State state = one.advance(clock.nanos(), core.paceBytes());
    switch (state) {
      case WRITING, SETTLING -> {}
      case COMPLETE -> name(one);
      case STOPPED, NOT_STORED, TOO_LONG -> {
        taking = Optional.empty();
        failed(step, one.why());
      }
      case DAMAGED -> {
        taking = Optional.empty();
        LOGGER.error(
            "the rows of partition {} on this node are damaged, so the node takes no snapshot of"
                + " them: {}. Drain the node, and start it without the directory of its replicas",
            step.partition(),
            one.why());
        counts.failed();
        core.failed(step, clock.nanos());
      }
    }
  }

  private void failed(Take step, String why) {
    LOGGER.warn("no snapshot of partition {}: {}; will retry", step.partition(), why);
    counts.failed();
    core.failed(step, clock.nanos());
  }

  private void name(SnapshotTaking one) {
    taking = Optional.empty();
    Take step = one.step();
    one.close();
    lanes.append(
        step.partition(), step.epoch(), one.snapshot(), outcome -> post(() -> named(one, outcome)));
  }

  private void named(SnapshotTaking one, Outcome outcome) {
    Take step = one.step();
    if (outcome == Outcome.COUNTS) {
      counts.taken(one.bytes());
      core.counted(step);
      LOGGER.info(
          "partition {} has a snapshot of {} rows in {} bytes, taken in {} ms",
          step.partition(),
          one.snapshot().blocks().rows(),
          one.bytes(),
          one.millis(clock.nanos()));
    } else {
      failed(step, "its record is not known to count: " + outcome);
    }
  }

  private void readBack() {
    if (reading.isEmpty()) {
      return;
    }
    SnapshotReading one = reading.get();
    if (core.isVerifying(one.step())) {
      one.advance(this::post, (end, why) -> readBack(one.step(), end, why));
    } else {
      one.cancel();
      reading = Optional.empty();
    }
  }

  private void readBack(Verify step, SnapshotReading.End end, String why) {
    if (!core.isVerifying(step)) {
      return;
    }
    reading = Optional.empty();
    switch (end) {
      case INTACT -> {
        counts.verified();
        core.verified(step);
        verified.put(step.partition(), step.snapshot().id());
      }
      case DAMAGED -> {
        LOGGER.error(
            "{}; the log of the partition is not trimmed past the snapshot before. The next"
                + " snapshot replaces the damaged one",
            why);
        counts.damaged();
        core.damaged(step);
      }
      case UNREAD -> {
        LOGGER.warn(
            "cannot read snapshot {} of partition {} back: {}; will retry",
            step.snapshot().id(),
            step.partition(),
            why);
        core.unread(step, clock.nanos());
      }
    }
  }

  private void kept(Search step, Optional<Kept> kept, Throwable failure) {
    if (failure != null) {
      LOGGER.warn(
          "cannot find out what the log of partition {} keeps: {}; will retry",
          step.partition(),
          failure.getMessage());
    }
    Optional<Trim> trim = core.kept(step, failure == null ? kept : Optional.empty(), clock.nanos());
    trim.ifPresent(
        due ->
            lanes.append(
                step.partition(),
                step.epoch(),
                due,
                outcome -> post(() -> trimmed(step, outcome))));
  }

  private void trimmed(Search step, Outcome outcome) {
    if (outcome == Outcome.COUNTS) {
      counts.trimmed();
    }
    core.trimmed(step, clock.nanos());
  }

  private void deleted(Delete step, Throwable failure) {
    core.deleted(step, failure == null, clock.nanos());
    if (failure != null) {
      counts.refused();
      LOGGER.error(
          "cannot delete the {} of partition {} before offset {}: {}. Deleting needs the right"
              + " DELETE on the topic; will retry",
          step.of() == Kind.LOG ? "records" : "blocks",
          step.partition(),
          step.offset(),
          failure.getMessage());
    }
  }
}
