package io.tunnel.bench.codec;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.model.RowChange;
import java.util.ArrayList;
import java.util.Arrays;
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

/** What a key costs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class KeyBenchmark {

  private final ByteSink sink = new ByteSink(1024);
  private List<RowChange> rows;
  private List<byte[]> keys;

  /** Makes the keys. */
  @Setup
  public void makeKeys() {
    rows = WhitepaperRows.rows();
    keys = new ArrayList<>();
    for (RowChange row : rows) {
      sink.truncate(0);
      KeyCodec.write(sink, row.primaryKey(), WhitepaperRows.SCHEMA);
      keys.add(Arrays.copyOf(sink.array(), sink.size()));
    }
  }

  /** How long does a reader take to get the key of each record? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public int decodeKey() {
    int columns = 0;
    KeyDecoder decoder = new KeyDecoder(WhitepaperRows.SCHEMA);
    for (byte[] key : keys) {
      columns += decoder.decode(key, 0, key.length).getPrimaryKeyColumns().size();
    }
    return columns;
  }

  /** Which share of a row's encoding is its key's? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public int encodeKey() {
    int bytes = 0;
    for (RowChange row : rows) {
      sink.truncate(0);
      KeyCodec.write(sink, row.primaryKey(), WhitepaperRows.SCHEMA);
      bytes += sink.size();
    }
    return bytes;
  }
}
