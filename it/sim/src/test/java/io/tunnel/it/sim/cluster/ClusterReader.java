package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.SimPartitionReaders;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.read.SimReadPort;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.wire.control.Control.TableDescription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Somebody who reads all partitions of a table without a tunnel, by the SDK's own reader: keeps the
 * positions and their incarnations, stores them now and then, and goes on behind what is stored
 * after a crash, or from an earlier position when it wants to see something again.
 */
final class ClusterReader {

  private static final long POLL_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long HOLD_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long AWAY_MS_MAX = 40_000;
  private static final long PAUSE_MS_MAX = 12_000;
  private static final int STORED_ONE_IN = 3;
  private static final int AGAIN_ONE_IN = 4;
  private static final int SHORT_OUTAGE_S = 4;

  /** What is said to somebody who may not read, or is not known where it asks. */
  private static final Set<ErrorCode> OF_RIGHTS =
      EnumSet.of(ErrorCode.NOT_AUTHENTICATED, ErrorCode.NOT_PERMITTED, ErrorCode.TABLE_NOT_FOUND);

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final TableDescription table;
  private final TreeMap<Integer, Part> parts = new TreeMap<>();
  private Optional<Run> running = Optional.empty();
  private int starts;

  /**
   * How far a partition was read.
   *
   * @param position reading goes on behind it
   * @param known what was seen, as the service is asked about it
   */
  private record Place(long position, Optional<KnownPosition> known) {

    ReadStart start(int partition) {
      ReadStart start = ReadStart.changes(partition, position);
      return known.map(start::knowing).orElse(start);
    }

    /** The place behind a position, in that incarnation. */
    Place at(long next, Optional<Long> incarnation) {
      long seen = Math.max(next, known.map(KnownPosition::position).orElse(0L));
      return new Place(next, incarnation.map(in -> new KnownPosition(seen, in)));
    }
  }

  /** One partition of those that it reads. */
  private static final class Part {
    private final int partition;
    private final ReadingStory story;
    private Place read = new Place(0, Optional.empty());
    private Place stored = read;

    Part(int partition, ReadingStory story) {
      this.partition = partition;
      this.story = story;
    }
  }

  /** A process that reads, between two crashes. */
  private final class Run {
    private final SimProcess process;
    private final SimThread user;
    private PartitionReader reader;

    Run(SimProcess process) {
      this.process = process;
      this.user = process.thread("user");
      user.execute(
          () -> {
            begin();
            pollLater();
          });
    }

    private PartitionReader open() {
      boolean isHasty = random.nextInt(4) == 0;
      PartitionReaderConfig config =
          isHasty
              ? PartitionReaderConfig.DEFAULTS.withOutageMax(Duration.ofSeconds(SHORT_OUTAGE_S))
              : PartitionReaderConfig.DEFAULTS;
      return SimPartitionReaders.over(
          new SimReadPort(world.network, process, world.agenda::nowNanos),
          world.endpoints(),
          table,
          config);
    }

    private void begin() {
      reader = open();
      for (Part part : parts.values()) {
        part.story.begins(part.read.position());
        reader.start(part.read.start(part.partition));
      }
    }

    private void pollLater() {
      user.after(
          random.nextLong(POLL_NANOS_MAX),
          () -> {
            poll();
            pollLater();
          });
    }

    private void poll() {
      try {
        Optional<PartitionRecords> records = reader.poll(Duration.ZERO);
        while (records.isPresent()) {
          PartitionRecords taken = records.get();
          world.watch(() -> take(taken));
          user.after(random.nextLong(HOLD_NANOS_MAX), taken::release);
          records = reader.poll(Duration.ZERO);
        }
      } catch (RefusedException e) {
        if (e.retriable()) {
          beginAnew(e);
        } else if (world.network.isClosed() && OF_RIGHTS.contains(e.code())) {
          notPermitted(e);
        } else {
          world.watch(() -> refused(e));
        }
      } catch (ConnectionException e) {
        beginAnew(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts a simulated thread", e);
      }
    }

    /** It was not delivered to for longer than its user wants to wait. */
    private void beginAnew(RuntimeException reason) {
      world.trace.add("the reader begins anew: " + reason.getMessage());
      world.count(ClusterHappening.READER_GAVE_UP);
      reader.close();
      begin();
    }

    /** Its user tries again and again, since what was taken may be given back. */
    private void notPermitted(RefusedException reason) {
      world.trace.add("the reader is not permitted: " + reason.getMessage());
      world.count(ClusterHappening.READER_REFUSED_BY_RIGHTS);
      reader.close();
      PartitionReader next = open();
      reader = next;
      user.after(
          AGAIN_NANOS,
          () -> {
            if (next == reader) {
              reader.close();
              begin();
            }
          });
    }

    private void refused(RefusedException reason) {
      world.trace.add("the reader is refused: " + reason.getMessage());
      reader.close();
      reader = open();
      boolean isReplaced = reason.code() == ErrorCode.POSITION_REPLACED;
      Invariant.NOTHING_BREAKS.require(
          isReplaced || reason.code() == ErrorCode.HISTORY_LOST,
          "a reader cannot go on: %s",
          reason.getMessage());
      findAgain(reader, isReplaced);
    }

    /** Goes on with what is kept. */
    private void findAgain(PartitionReader asking, boolean isReplaced) {
      var unused =
          asking
              .positions()
              .whenComplete(
                  (found, failure) ->
                      user.after(
                          AGAIN_NANOS,
                          () -> {
                            if (asking != reader) {
                              return;
                            }
                            if (failure != null) {
                              findAgain(asking, isReplaced);
                            } else {
                              world.watch(() -> skip(found, isReplaced));
                              reader.close();
                              begin();
                            }
                          }));
    }

    /**
     * The user wants to see something again, or only to read with another reader.
     *
     * @param isSeenAgain of which partitions the user wants to see all changes again
     */
    private void reopen(Predicate<Part> isSeenAgain) {
      reader.close();
      for (Part part : parts.values()) {
        int dice = isSeenAgain.test(part) ? 0 : random.nextInt(6);
        if (dice < 2) {
          long back = dice == 0 ? 0 : random.nextLong(part.read.position() + 1);
          part.read = new Place(back, part.read.known());
          world.count(ClusterHappening.READER_WENT_BACK);
        }
      }
      begin();
    }
  }

  /** Reads {@code table} from its first change on, as soon as it is started. */
  ClusterReader(ClusterWorld world, TableDescription table, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.table = table;
    table
        .partitions()
        .forEach(
            each ->
                parts.put(
                    each.id(), new Part(each.id(), new ReadingStory(world.truth.log(each.id())))));
  }

  void start() {
    if (running.isEmpty()) {
      starts++;
      world.trace.add("the reader starts");
      world.count(ClusterHappening.READER_STARTED);
      running = Optional.of(new Run(world.process("reader." + starts)));
    }
  }

  private void take(PartitionRecords records) {
    Part part = parts.get(records.start().partition());
    List<StreamRecord> given = records.records();
    part.story.given(given);
    if (!given.isEmpty()) {
      world.trace.add(part.story + " in " + records.incarnation());
      Optional<Long> before = part.read.known().map(KnownPosition::incarnation);
      if (before.isPresent() && !before.equals(records.incarnation())) {
        world.count(ClusterHappening.READER_TOLD_INCARNATION);
      }
      part.read = part.read.at(part.story.last(), records.incarnation());
      if (random.nextInt(STORED_ONE_IN) == 0) {
        part.stored = part.read;
      }
    }
  }

  /** Skips changes that are no longer kept, as its user asked for; no position is known then. */
  private void skip(TablePositions found, boolean isReplaced) {
    for (PartitionPositions each : found.partitions()) {
      Part part = parts.get(each.partition());
      long position = part.read.position();
      if (isReplaced || position < each.earliest()) {
        part.read = new Place(each.earliest(), Optional.empty());
        part.stored = part.read;
      }
    }
  }

  /** Does something that readers do, or nothing. */
  void act() {
    int dice = random.nextInt(100);
    if (running.isEmpty()) {
      return;
    }
    Run run = running.get();
    if (isTrimmed() && random.nextInt(AGAIN_ONE_IN) == 0) {
      run.user.execute(() -> run.reopen(part -> part.story.log().trims().isTrimmed()));
    } else if (dice < 2) {
      crash(run);
    } else if (dice < 4) {
      run.user.execute(() -> run.reopen(part -> false));
    } else if (dice < 6) {
      long millis = random.nextLong(PAUSE_MS_MAX);
      world.trace.add("the reader is stopped for " + millis + " ms");
      run.process.pause(TimeUnit.MILLISECONDS.toNanos(millis));
    } else if (dice < 12) {
      List<Integer> all = new ArrayList<>(parts.keySet());
      int partition = all.get(random.nextInt(all.size()));
      world.logs.ledByAnother(partition);
    }
  }

  private boolean isTrimmed() {
    return parts.values().stream().anyMatch(part -> part.story.log().trims().isTrimmed());
  }

  private void crash(Run run) {
    world.trace.add("the reader crashes");
    world.count(ClusterHappening.READER_CRASHED);
    world.end(run.process);
    running = Optional.empty();
    parts.values().forEach(part -> part.read = part.stored);
    world.agenda.after(TimeUnit.MILLISECONDS.toNanos(random.nextLong(AWAY_MS_MAX)), this::start);
  }

  /** Nothing happens to it any more. */
  void calm() {
    start();
    running.orElseThrow().process.wake();
  }

  boolean isDone() {
    return parts.values().stream().allMatch(part -> part.story.isDone());
  }

  void requireDone(long seconds) {
    for (Part part : parts.values()) {
      part.story.requireDone(seconds);
      world.count(ClusterHappening.READER_COMPARED);
    }
  }
}
