package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes rows of about 200 bytes, spread over all partitions, at an even rate until it is closed.
 */
final class PacedWriter implements AutoCloseable {

  private static final long END_SECONDS_MAX = 60;

  private final TableWriter writer;
  private final SplittableRandom random = new SplittableRandom(3);
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Load load;

  PacedWriter(FigureSetup<TunnelServerChild> setup, String table, long rowsPerSecond) {
    this.writer =
        setup
            .tables()
            .openWriter(table, TableWriterConfig.DEFAULTS.withLinger(Duration.ofMillis(2)));
    Client client = this::add;
    this.load =
        Load.begin(
            setup.clock(),
            Plan.CLOSED.at((double) rowsPerSecond),
            List.of(client),
            Load.threads("paced-writer"));
  }

  private void add(Turn turn) {
    writer.add(
        FigureSetup.put(FigureSetup.key(random.nextInt(), turn.number())),
        (row, result) -> {
          AtomicLong count = result.isApplied() ? acknowledged : refused;
          count.incrementAndGet();
        });
    turn.done();
  }

  long acknowledged() {
    return acknowledged.get();
  }

  /** Stops and waits until everything is acknowledged. */
  @Override
  public void close() {
    load.end(END_SECONDS_MAX);
    writer.close();
    if (refused.get() > 0) {
      throw new IllegalStateException(refused + " rows were not applied");
    }
  }
}
