package io.tunnel.bench.codec;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs a server to find a change in its log: half a million batches of one row. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class LookupBenchmark {

  private static final int PARTITIONS = 8;
  private static final int BATCHES = 500_000;
  private static final int APPENDED_TOGETHER = 1_000;
  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final int DELIVERY_BYTES_MAX = 256 << 10;

  private final SplittableRandom random = new SplittableRandom(11);
  private DataDirectory directory;
  private LocalLog log;

  /** Fills a log; each group of batches is committed in a microsecond of its own. */
  @Setup
  public void fill() throws IOException {
    List<RowChange> rows = WhitepaperRows.rows();
    directory = DataDirectory.temporary("lookup", Path.of(System.getProperty("java.io.tmpdir")));
    log =
        LocalLog.open(new FileDisk(Files.createDirectory(directory.data())), 0, SEGMENT_BYTES_MAX);
    // At most one byte in a merged batch, so that no two batches merge.
    GroupCore group = new GroupCore(1);
    for (int i = 0; i < BATCHES; i++) {
      BatchBuilder batch = new BatchBuilder(WhitepaperRows.SCHEMA, 512);
      batch.add(rows.get(i % rows.size()));
      byte[] bytes = batch.build(1 + i % PARTITIONS, 1, 1);
      group.add(ChangeBatch.parse(bytes, 0, bytes.length));
      if ((i + 1) % APPENDED_TOGETHER == 0) {
        log.append(group, false, 1 + i / APPENDED_TOGETHER);
        group.clear();
      }
    }
  }

  /** Deletes the log. */
  @TearDown
  public void close() throws IOException {
    log.close();
    directory.delete();
  }

  /**
   * How many nanoseconds does it take to find the next delivery behind any position? A delivery has
   * 256 KiB, here some 900 batches.
   */
  @Benchmark
  public int plan() {
    int partition = 1 + random.nextInt(PARTITIONS);
    long position = 1L + random.nextInt(BATCHES / PARTITIONS);
    Extents next = log.plan(partition, position, DELIVERY_BYTES_MAX);
    return next.bytes();
  }

  /** How many nanoseconds does it take to find the first change at or after any moment? */
  @Benchmark
  public long positionBefore() throws IOException {
    int partition = 1 + random.nextInt(PARTITIONS);
    return log.positionBefore(partition, 1L + random.nextInt(BATCHES / APPENDED_TOGETHER));
  }
}
