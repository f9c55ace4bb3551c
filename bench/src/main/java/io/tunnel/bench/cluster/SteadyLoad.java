package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.stress.LoadClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Rows of about 200 bytes at an even rate, in turn for each partition, and a worker that reads them
 * in the same process, until it is closed. It knows of each partition when a row that was written
 * after some moment was first acknowledged, and first seen, and how old rows were at most then.
 */
final class SteadyLoad implements AutoCloseable {

  private static final long END_SECONDS_MAX = 60;
  private static final int ROWS_REMEMBERED = 1 << 20;

  private final LoadClock clock;
  private final TableWriter writer;
  private final TunnelWorker worker;
  private final int partitions;
  private final Load load;
  private final AtomicLongArray writtenNanos = new AtomicLongArray(ROWS_REMEMBERED);
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong seen = new AtomicLong();
  private volatile Marks marks;

  /** What became of the rows that were written from some moment on. */
  static final class Marks {
    private final long fromSequence;
    private final AtomicLongArray firstAck;
    private final AtomicLongArray firstSeen;
    private final AtomicLong oldestAck = new AtomicLong();
    private final AtomicLong oldestSeen = new AtomicLong();

    private Marks(long fromSequence, int partitions) {
      this.fromSequence = fromSequence;
      this.firstAck = new AtomicLongArray(partitions);
      this.firstSeen = new AtomicLongArray(partitions);
    }

    private static void note(AtomicLongArray firsts, int partition, long nanos) {
      firsts.compareAndSet(partition, 0, nanos);
    }

    /** When a row of that partition was first acknowledged; 0 before. */
    long firstAck(int partition) {
      return firstAck.get(partition);
    }

    /** When a row of that partition was first processed; 0 before. */
    long firstSeen(int partition) {
      return firstSeen.get(partition);
    }

    /** The longest time from the making of a row to its acknowledgement. */
    long oldestAckNanos() {
      return oldestAck.get();
    }

    /** The longest time from the making of a row to its callback. */
    long oldestSeenNanos() {
      return oldestSeen.get();
    }
  }

  SteadyLoad(FigureSetup<ClusterChildren> setup, String table, int partitions, long rowsPerSecond) {
    this.clock = setup.clock();
    this.partitions = partitions;
    this.marks = new Marks(0, partitions);
    this.writer =
        setup
            .tables()
            .openWriter(table, TableWriterConfig.DEFAULTS.withLinger(Duration.ofMillis(2)));
    this.worker =
        new TunnelWorker(
            setup.newTunnel(table), setup.tunnels(), new TunnelWorkerConfig(new Seen()));
    worker.connectAndWorking();
    Client client = this::add;
    this.load =
        Load.begin(
            clock,
            Plan.CLOSED.at((double) rowsPerSecond),
            List.of(client),
            Load.threads("steady-load"));
  }

  /** From now on, times are of rows that are written from now on. */
  Marks mark() {
    Marks fresh = new Marks(load.begun(), partitions);
    marks = fresh;
    return fresh;
  }

  /** Rows that were processed so far. */
  long seen() {
    return seen.get();
  }

  private int partitionOf(long row) {
    return (int) (row % partitions);
  }

  private void add(Turn turn) {
    long row = turn.number();
    writtenNanos.set((int) (row % ROWS_REMEMBERED), clock.nanos());
    writer.add(
        FigureSetup.put(ClusterRows.keyIn(partitionOf(row), partitions, row)),
        (written, result) -> {
          if (result.isApplied()) {
            acknowledged(row);
          } else if (result.outcome() != RowResult.Outcome.IN_DOUBT) {
            // In doubt is what a leader had not answered when it was killed.
            rejected.incrementAndGet();
          }
        });
    turn.done();
  }

  private void acknowledged(long row) {
    Marks now = marks;
    if (row >= now.fromSequence) {
      long nanos = clock.nanos();
      Marks.note(now.firstAck, partitionOf(row), nanos);
      now.oldestAck.accumulateAndGet(nanos - written(row), Math::max);
    }
  }

  private long written(long row) {
    return writtenNanos.get((int) (row % ROWS_REMEMBERED));
  }

  private final class Seen implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      Marks now = marks;
      long nanos = clock.nanos();
      for (StreamRecord record : input.getRecords()) {
        long row =
            record
                .getPrimaryKey()
                .getPrimaryKeyColumn(ClusterRows.SEQUENCE_INDEX)
                .getValue()
                .asLong();
        if (row >= now.fromSequence) {
          Marks.note(now.firstSeen, partitionOf(row), nanos);
          now.oldestSeen.accumulateAndGet(nanos - written(row), Math::max);
        }
      }
      seen.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }

  /** Stops and waits until everything is acknowledged. */
  @Override
  public void close() {
    load.end(END_SECONDS_MAX);
    writer.close();
    worker.shutdown();
    if (rejected.get() > 0) {
      throw new IllegalStateException(rejected + " rows were refused for good");
    }
  }
}
