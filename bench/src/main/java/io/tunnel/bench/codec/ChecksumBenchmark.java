package io.tunnel.bench.codec;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the checksum costs, which is computed by the writer, the server and every reader. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ChecksumBenchmark {

  /** Bytes under one checksum: a row, a small batch, a usual one. */
  @Param({"256", "4096", "262144"})
  public int bytes;

  private byte[] array;

  /** Makes the bytes. */
  @Setup
  public void makeBytes() {
    array = new byte[bytes];
    new SplittableRandom(7).nextBytes(array);
  }

  /** From which batch size on is a CRC-32C next to free, so that nobody needs an option without? */
  @Benchmark
  public long crc32c() {
    CRC32C crc = new CRC32C();
    crc.update(array, 0, bytes);
    return crc.getValue();
  }
}
