package io.tunnel.bench.codec;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a server pays to bring rows into its log, beside syncs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AppendBenchmark {

  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final int MERGED_BYTES_MAX = 1 << 20;
  private static final int TRIMMED_GROUPS = 200;

  private final GroupCore group = new GroupCore(MERGED_BYTES_MAX);
  private DataDirectory directory;
  private LocalLog log;
  private ChangeBatch batch;
  private long groups;

  /** Opens a log in a directory of its own. */
  @Setup
  public void open() throws IOException {
    byte[] bytes = WhitepaperRows.fullBatch();
    batch = ChangeBatch.parse(bytes, 0, bytes.length);
    directory = DataDirectory.temporary("append", Path.of(System.getProperty("java.io.tmpdir")));
    log =
        LocalLog.open(new FileDisk(Files.createDirectory(directory.data())), 0, SEGMENT_BYTES_MAX);
  }

  /** Deletes the log. */
  @TearDown
  public void close() throws IOException {
    log.close();
    directory.delete();
  }

  /**
   * How many nanoseconds does a row cost from its frame's array to the page cache: stamped, its
   * checksum made anew, copied out of the heap and written?
   */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.FULL_COUNT)
  public long appendRow() throws IOException {
    group.add(batch);
    long first = log.append(group, false, ++groups)[0];
    group.clear();
    if (groups % TRIMMED_GROUPS == 0) {
      log.seal();
      log.trim(Map.of(batch.partition(), Long.MAX_VALUE), partition -> true, Long.MAX_VALUE);
    }
    return first;
  }
}
