package io.tunnel.bench.codec;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs the thread of a shard to fold rows into its table: 78,400 keys, again and again.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FoldBenchmark {

  private static final int PARTITIONS = 8;
  private static final int BATCHES = 8;
  private static final TableStoreConfig CONFIG = new TableStoreConfig(64 << 20, 64 << 20, 2);

  /** So many of a hundred rows are updates: their rows are read first. */
  @Param({"0", "20", "100"})
  int updatesPercent;

  private final List<List<ChangeBatch>> folds = new ArrayList<>();
  private DataDirectory directory;
  private TableStore table;
  private long offset;

  /** Puts all rows first: every update then finds an existing row. */
  @Setup
  public void open() throws IOException {
    directory = DataDirectory.temporary("fold-jmh", Path.of(System.getProperty("java.io.tmpdir")));
    table = TableStore.open(directory.data(), CONFIG, () -> {});
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      table.fold(parsed(WhitepaperRows.fullBatches(partition, BATCHES, 0)), ++offset);
      parsed(WhitepaperRows.fullBatches(partition, BATCHES, updatesPercent))
          .forEach(batch -> folds.add(List.of(batch)));
    }
  }

  private static List<ChangeBatch> parsed(List<byte[]> batches) {
    return batches.stream().map(bytes -> ChangeBatch.parse(bytes, 0, bytes.length)).toList();
  }

  /** Deletes the table. */
  @TearDown
  public void close() throws IOException {
    table.close();
    directory.delete();
  }

  /** How many nanoseconds does a row cost that thread, flushes and compactions beside it? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.FULL_COUNT)
  public void foldRow() throws IOException {
    table.fold(folds.get((int) (++offset % folds.size())), offset);
  }
}
