package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What a change costs a server while 3,000 watches follow a key each: beside nobody, beside watches
 * of other keys, and beside readers who read all and throw most away. Five turns, the first to warm
 * up; the order changes.
 */
final class WatchesFigure implements Figure<TunnelServerChild> {

  private static final int WATCHES = 3_000;
  private static final int READERS = 30;
  private static final int ROWS = 150_000;
  private static final int TURNS = 5;

  /** Below here are the keys that are watched. */
  private static final String WATCHED = "watched";

  private static final String OTHER = "other";

  @Override
  public String name() {
    return "watches";
  }

  /**
   * One of what is compared.
   *
   * @param below where rows are written
   * @param listeners how many follow
   */
  private record Case(String name, String below, int listeners, Follow follow) {}

  /** Follows {@code ROWS} changes: begins at once, and the call ends when all have come. */
  @FunctionalInterface
  private interface Follow {
    Following begin(Paths paths) throws InterruptedException;
  }

  /** What {@link Follow} has begun. */
  private interface Following extends AutoCloseable {
    void awaitAll() throws InterruptedException;

    @Override
    void close();
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    Paths paths = Paths.create(setup);
    List<Case> cases = new ArrayList<>();
    cases.add(new Case("nobody follows", OTHER, 0, ignored -> watches(ignored, 0, 0)));
    cases.add(new Case("watches of other keys", OTHER, WATCHES, at -> watches(at, WATCHES, 0)));
    cases.add(
        new Case("watches of these keys", WATCHED, WATCHES, at -> watches(at, WATCHES, ROWS)));
    cases.add(new Case("readers of all changes", OTHER, READERS, WatchesFigure::readers));
    for (int turn = 0; turn < TURNS; turn++) {
      for (Case each : cases) {
        measure(paths, turn, each);
      }
      Collections.reverse(cases);
    }
  }

  private static void measure(Paths paths, int turn, Case of) throws Exception {
    FigureSetup<TunnelServerChild> setup = paths.setup();
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Following following = of.follow().begin(paths)) {
      setup.pause(2_000);
      long cpu = setup.servers().cpuNanos();
      long began = setup.clock().nanos();
      Callable<Void> take =
          () -> {
            following.awaitAll();
            return null;
          };
      Future<Void> taken = other.submit(take);
      paths.write(of.below(), ROWS, WATCHES);
      double seconds = (setup.clock().nanos() - began) / 1e9;
      await(taken);
      // What the server put off is paid by who caused it.
      setup.pause(2_000);
      double micros = (setup.servers().cpuNanos() - cpu) / 1e3;
      setup
          .out()
          .printf(
              "turn %d  %-24s %,6d  %,9.0f changes/s written  %6.2f us of server CPU a change%n",
              turn, of.name(), of.listeners(), ROWS / seconds, micros / ROWS);
    } finally {
      other.shutdownNow();
    }
  }

  private static void await(Future<Void> taken) throws Exception {
    try {
      taken.get(5, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new IllegalStateException("changes were not taken", e.getCause());
    }
  }

  /** Watches of one key each; all receive {@code expected} changes in total. */
  private static Following watches(Paths paths, int count, long expected) {
    List<Watch> watches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      watches.add(paths.watch(Paths.key(WATCHED, i)));
    }
    return new Following() {
      @Override
      public void awaitAll() throws InterruptedException {
        paths.take(watches, expected);
      }

      @Override
      public void close() {
        watches.forEach(Watch::close);
      }
    };
  }

  /** Readers that are given every change. */
  private static Following readers(Paths paths) {
    int partition = paths.table().partitions().get(0).id();
    long from =
        paths
            .setup()
            .tables()
            .findPositions(paths.name(), Optional.empty())
            .partitions()
            .get(0)
            .latest();
    List<PartitionReader> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      PartitionReader reader =
          new PartitionReader(
              ClientConfig.of(paths.setup().servers().endpoint()),
              paths.table(),
              PartitionReaderConfig.DEFAULTS);
      reader.start(ReadStart.changes(partition, from));
      readers.add(reader);
    }
    return new Following() {
      @Override
      public void awaitAll() throws InterruptedException {
        takeAll(readers);
      }

      @Override
      public void close() {
        readers.forEach(PartitionReader::close);
      }
    };
  }

  private static void takeAll(List<PartitionReader> readers) throws InterruptedException {
    long left = (long) ROWS * READERS;
    while (left > 0) {
      for (PartitionReader reader : readers) {
        Optional<PartitionRecords> next = reader.poll(Duration.ofMillis(1));
        if (next.isPresent()) {
          left -= next.get().records().size();
          next.get().release();
        }
      }
    }
  }
}
