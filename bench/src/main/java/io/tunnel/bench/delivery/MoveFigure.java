package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
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
final class MoveFigure implements Figure<TunnelServerChild> {

  private static final int PARTITIONS = 16;
  private static final int ROUNDS = 20;
  private static final long ROWS_PER_SECOND = 10_000;

  @Override
  public String name() {
    return "moves";
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    var unused = setup.newTable("moves", PARTITIONS);
    String tunnelId = setup.newTunnel("moves");
    Sightings sightings = new Sightings(setup.clock());
    List<Long> joins = new ArrayList<>();
    TunnelWorker first = worker(setup, tunnelId, "a", sightings);
    first.connectAndWorking();
    try (PacedWriter writer = new PacedWriter(setup, "moves", ROWS_PER_SECOND)) {
      setup.await("all channels run", 30, () -> sightings.held("a") == PARTITIONS);
      for (int round = 0; round < ROUNDS; round++) {
        setup.pause(500);
        TunnelWorker second = worker(setup, tunnelId, "b", sightings);
        long joined = setup.clock().nanos();
        second.connectAndWorking();
        setup.await("half of the channels moved", 30, () -> sightings.held("b") == PARTITIONS / 2);
        joins.add(setup.clock().nanos() - joined);
        setup.pause(500);
        second.shutdown();
        setup.await("they moved back", 30, () -> sightings.held("a") == PARTITIONS);
      }
      setup.out().println("rows acknowledged         " + writer.acknowledged());
    } finally {
      first.shutdown();
    }
    setup.out().println("channel stands still      " + Spread.of(sightings.pauses()));
    setup.out().println("join until all had work   " + Spread.of(joins));
    setup.out().println("delivered twice           " + sightings.duplicates() + " changes");
    setup.out().println("out of order              " + sightings.disorder() + " changes");
  }

  private static TunnelWorker worker(
      FigureSetup<TunnelServerChild> setup, String tunnelId, String tag, Sightings sightings) {
    return new TunnelWorker(
        tunnelId,
        setup.tunnels(),
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
