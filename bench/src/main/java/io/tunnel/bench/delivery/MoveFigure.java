package io.tunnel.bench.delivery;

import io.tunnel.bench.figures.Figure;
import io.tunnel.programs.ledger.OrderCore;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long a channel stands still when it moves gracefully between two workers under load, and
 * whether anything comes twice. A second worker joins and leaves; each time half of the channels
 * move.
 */
final class MoveFigure implements Figure<Bed> {

  private static final int PARTITIONS = 16;
  private static final int ROUNDS = 20;
  private static final long ROWS_PER_SECOND = 10_000;

  @Override
  public String name() {
    return "moves";
  }

  @Override
  public void measure(Bed bed) throws Exception {
    String tunnelId = bed.newTunnel("moves", PARTITIONS);
    Sightings sightings = new Sightings(bed.clock());
    List<Long> joins = new ArrayList<>();
    TunnelWorker first = worker(bed, tunnelId, "a", sightings);
    first.connectAndWorking();
    try (PacedWriter writer = new PacedWriter(bed, "moves", ROWS_PER_SECOND)) {
      bed.await("all channels run", 30, () -> sightings.held("a") == PARTITIONS);
      for (int round = 0; round < ROUNDS; round++) {
        bed.pause(500);
        TunnelWorker second = worker(bed, tunnelId, "b", sightings);
        long joined = bed.clock().nanos();
        second.connectAndWorking();
        bed.await("half of the channels moved", 30, () -> sightings.held("b") == PARTITIONS / 2);
        joins.add(bed.clock().nanos() - joined);
        bed.pause(500);
        second.shutdown();
        bed.await("they moved back", 30, () -> sightings.held("a") == PARTITIONS);
      }
      bed.out().println("rows acknowledged         " + writer.acknowledged());
    } finally {
      first.shutdown();
    }
    bed.out().println("channel stands still      " + Spread.of(sightings.pauses()));
    bed.out().println("join until all had work   " + Spread.of(joins));
    bed.out().println("delivered twice           " + sightings.duplicates() + " changes");
    bed.out().println("out of order              " + sightings.disorder() + " changes");
  }

  private static TunnelWorker worker(Bed bed, String tunnelId, String tag, Sightings sightings) {
    return new TunnelWorker(
        tunnelId,
        bed.tunnels(),
        TunnelWorkerConfig.builder().processor(sightings.by(tag)).clientTag(tag).build());
  }

  /** Who processed what last, and how long it took from one worker to the next. */
  private static final class Sightings {
    private final LoadClock clock;
    private final Map<String, Last> lastByChannel = new ConcurrentHashMap<>();
    private final List<Long> pauses = new ArrayList<>();
    private final AtomicLong duplicates = new AtomicLong();
    private final AtomicLong disorder = new AtomicLong();

    private record Last(String worker, OrderCore order, long endedNanos) {}

    Sightings(LoadClock clock) {
      this.clock = clock;
    }

    IChannelProcessor by(String worker) {
      return new IChannelProcessor() {
        @Override
        public void process(ProcessRecordsInput input) {
          see(worker, input);
        }

        @Override
        public void shutdown() {}
      };
    }

    private void see(String worker, ProcessRecordsInput input) {
      long begun = clock.nanos();
      Last last = lastByChannel.get(input.getChannelId());
      if (last != null && !last.worker().equals(worker)) {
        synchronized (pauses) {
          pauses.add(begun - last.endedNanos());
        }
      }
      OrderCore order = last == null ? new OrderCore(1) : last.order();
      for (StreamRecord record : input.getRecords()) {
        switch (order.came(record.position())) {
          case NEXT -> {
            // As it has to be.
          }
          case LATE -> disorder.incrementAndGet();
          case REPEATED -> duplicates.incrementAndGet();
        }
      }
      lastByChannel.put(input.getChannelId(), new Last(worker, order, clock.nanos()));
    }

    int held(String worker) {
      int held = 0;
      for (Last last : lastByChannel.values()) {
        held += last.worker().equals(worker) ? 1 : 0;
      }
      return held;
    }

    List<Long> pauses() {
      synchronized (pauses) {
        return List.copyOf(pauses);
      }
    }

    long duplicates() {
      return duplicates.get();
    }

    long disorder() {
      return disorder.get();
    }
  }
}
