package io.tunnel.bench.codec;

import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
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
import org.openjdk.jmh.infra.Blackhole;

/** What the server pays to accept a batch, and a reader to look at one; per row of a batch. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class BatchReadBenchmark {

  private byte[] bytes;
  private ChangeBatch batch;
  private BatchValidator validator;

  /** Makes the batch. */
  @Setup
  public void makeBatch() {
    bytes = WhitepaperRows.batch();
    batch = ChangeBatch.parse(bytes, 0, bytes.length);
    validator = new BatchValidator(WhitepaperRows.SCHEMA);
  }

  /** What does it cost per row to check the checksum and the header, before any row is seen? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public ChangeBatch parse() {
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  /**
   * What does the one check on the way into the log cost per row? It is the largest share of the
   * codec in the server, on a thread that every writer of a shard waits for.
   */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public boolean validate() {
    return validator.require(batch, Bytes.EMPTY, Bytes.EMPTY).mustJudge();
  }

  /** What is the floor of every reader: to step over the rows and look at nothing? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public int walk() {
    int keyBytes = 0;
    RowCursor row = batch.rows();
    while (row.next()) {
      keyBytes += row.keyBytes();
    }
    return keyBytes;
  }

  /** How long does a processor take to read one integer attribute of every row? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public long readOneColumn() {
    long sum = 0;
    RowCursor row = batch.rows();
    while (row.next()) {
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        if (columns.nameIndex() == 1) {
          sum += columns.value().asLong();
        }
      }
    }
    return sum;
  }

  /** What does a processor pay that looks at everything: the whole key and every column? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public void decodeAll(Blackhole seen) {
    KeyDecoder keys = new KeyDecoder(WhitepaperRows.SCHEMA);
    RowCursor row = batch.rows();
    while (row.next()) {
      seen.consume(keys.decode(batch.array(), row.keyOffset(), row.keyBytes()));
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        seen.consume(batch.name(columns.nameIndex()));
        seen.consume(columns.value());
      }
    }
  }
}
