package io.tunnel.bench.fold;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.stress.SystemClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.rocksdb.BloomFilter;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The program: keeps the same rows in each way in turn, and says what that cost a row. */
@Command(
    name = "fold",
    mixinStandardHelpOptions = true,
    description = "Measures what keeping rows in RocksDB costs, in one way or another.")
public final class FoldMain implements Callable<Integer> {

  private static final int PARTITIONS = 8;
  private static final int READS = 20_000;
  private static final int SCANNED_TOGETHER = 100;
  private static final long CACHE_BYTES = 64 << 20;
  private static final long SETTLED_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int FILTER_BITS = 10;
  private static final double NANOS_PER_US = 1e3;

  @Option(
      names = "--rows",
      defaultValue = "4000000",
      description = "Rows that are kept each time (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--rows-at-once",
      defaultValue = "20000",
      description = "Rows that are folded together (default: ${DEFAULT-VALUE}).")
  private int rowsAtOnce;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "How often each way is measured, in turns (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      description = "Some of the ways: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Way> only = List.of(Way.values());

  @Option(names = "--dir", description = "Where a temporary directory is made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  private final SystemClock clock = new SystemClock();

  private FoldMain() {}

  /** Measures. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new FoldMain()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  /** CPU time so far, in nanoseconds. */
  private record Cpu(long thread, long process) {
    static Cpu now() {
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Cpu(
          ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(),
          system.getProcessCpuTime());
    }
  }

  @Override
  public Integer call() throws Exception {
    RocksDB.loadLibrary();
    System.out.println(
        "| way | thread us/row | process us/row | written, bytes a row | read us | scan us |");
    System.out.println("| --- | --- | --- | --- | --- | --- |");
    // The first measurement warms up the code of all measurements.
    measure(Way.NOT_KEPT);
    for (int round = 0; round < rounds; round++) {
      for (Way way : only) {
        System.out.println("| " + way.text() + " | " + measure(way) + " |");
      }
    }
    return 0;
  }

  private String measure(Way way) throws IOException, RocksDBException {
    DataDirectory temporary = DataDirectory.temporary("fold", dir);
    Path directory = Files.createDirectory(temporary.data());
    try (LRUCache cache = new LRUCache(CACHE_BYTES);
        BloomFilter filter = new BloomFilter(FILTER_BITS);
        Statistics statistics = new Statistics();
        Options options = way.options(cache, filter).setStatistics(statistics)) {
      if (way == Way.NOT_KEPT) {
        try (Keeper keeper = new Keeper.Batches(Optional.empty())) {
          return cost(keeper, Optional.empty());
        }
      }
      try (RocksDB db = RocksDB.open(options, directory.resolve("table").toString());
          Keeper keeper = keeper(way, db, options, directory)) {
        String cost = cost(keeper, Optional.of(db));
        long written =
            statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES)
                + statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES);
        return cost + " | " + written / rows + " | " + readUs(db) + " | " + scanUs(db);
      }
    } finally {
      temporary.delete();
    }
  }

  private static Keeper keeper(Way way, RocksDB db, Options options, Path directory) {
    return way.gatheredBytes() == 0
        ? new Keeper.Batches(Optional.of(db))
        : new Keeper.Files(db, options, directory, PARTITIONS, way.gatheredBytes());
  }

  private String cost(Keeper keeper, Optional<RocksDB> db) throws RocksDBException {
    FoldedRows source = new FoldedRows();
    Cpu begun = Cpu.now();
    for (long row = 0; row < rows; row += rowsAtOnce) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        keeper.add(partition, source.next(rowsAtOnce / PARTITIONS));
      }
      keeper.fold();
    }
    keeper.end();
    long thread = Cpu.now().thread() - begun.thread();
    if (db.isPresent()) {
      settle(db.get());
    }
    long process = Cpu.now().process() - begun.process();
    return String.format(
        Locale.ROOT, "%.2f | %.2f", thread / NANOS_PER_US / rows, process / NANOS_PER_US / rows);
  }

  private void settle(RocksDB db) throws RocksDBException {
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
      db.flush(wait);
    }
    while (db.getLongProperty("rocksdb.compaction-pending") > 0
        || db.getLongProperty("rocksdb.num-running-compactions") > 0) {
      clock.waitUntil(clock.nanos() + SETTLED_LOOK_NANOS, () -> false);
    }
  }

  /** What reading a row takes this thread, of any of the first quarter of the rows. */
  private String readUs(RocksDB db) throws RocksDBException {
    FoldedRows source = new FoldedRows();
    SplittableRandom random = new SplittableRandom(3);
    byte[] key = new byte[FoldedRows.KEY_BYTES];
    long quarter = Math.max(1, rows / rowsAtOnce / 4);
    long reads = 0;
    long nanos = 0;
    for (long fold = 0; reads < READS; fold++) {
      if (fold % quarter == 0) {
        source = new FoldedRows();
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        long[] hashes = source.next(rowsAtOnce / PARTITIONS);
        FoldedRows.writeKey(partition, hashes[random.nextInt(hashes.length)], key, 0);
        long begun = Cpu.now().thread();
        if (db.get(key) == null) {
          throw new IllegalStateException("a row is not there");
        }
        nanos += Cpu.now().thread() - begun;
        reads++;
      }
    }
    return String.format(Locale.ROOT, "%.1f", nanos / NANOS_PER_US / reads);
  }

  /** What reading a row takes this thread that comes in a scan of a hundred neighbours. */
  private static String scanUs(RocksDB db) {
    SplittableRandom random = new SplittableRandom(5);
    byte[] key = new byte[FoldedRows.KEY_BYTES];
    long reads = 0;
    long begun = Cpu.now().thread();
    try (RocksIterator rows = db.newIterator()) {
      while (reads < READS) {
        int partition = random.nextInt(PARTITIONS);
        FoldedRows.writeKey(partition, random.nextLong() & Long.MAX_VALUE, key, 0);
        rows.seek(key);
        for (int row = 0; row < SCANNED_TOGETHER && rows.isValid(); row++) {
          rows.value();
          rows.next();
          reads++;
        }
      }
    }
    long nanos = Cpu.now().thread() - begun;
    return String.format(Locale.ROOT, "%.1f", nanos / NANOS_PER_US / reads);
  }
}
