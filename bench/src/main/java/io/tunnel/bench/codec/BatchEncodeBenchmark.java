package io.tunnel.bench.codec;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.RowChange;
import java.nio.ByteBuffer;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/** What a writer pays to encode rows. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class BatchEncodeBenchmark {

  private List<RowChange> rows;

  /** Makes the rows. */
  @Setup
  public void makeRows() {
    rows = WhitepaperRows.rows();
  }

  /**
   * How many nanoseconds does a row cost its writer, from the model to a batch with a checksum? A
   * million rows a second leave 1,000 for everything.
   */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public ByteBuffer encodeRow() {
    BatchBuilder builder = new BatchBuilder(WhitepaperRows.SCHEMA, 256 * 1024);
    for (RowChange row : rows) {
      builder.add(row);
    }
    return builder.finish(1);
  }
}
