package io.tunnel.bench.codec;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.worker.input.DeliveredRecords;
import io.tunnel.wire.Delivery;
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
import org.openjdk.jmh.infra.Blackhole;

/** What a processor pays for a row by the public getters of its record; the batch is in a cache. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class RecordBenchmark {

  private List<Delivery> deliveries;

  /** Makes the batch. */
  @Setup
  public void makeBatch() {
    byte[] bytes = WhitepaperRows.batch();
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    deliveries = List.of(new Delivery(1, 1, batch.basePosition(), List.of(batch)));
  }

  private List<StreamRecord> records() {
    return new DeliveredRecords(deliveries, WhitepaperRows.SCHEMA);
  }

  /** How long does a processor take to iterate over the records without reading a column? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public long walk() {
    long sum = 0;
    for (StreamRecord record : records()) {
      sum += record.position();
    }
    return sum;
  }

  /** What does a processor pay that spreads rows by their key and adds up one attribute? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public long touch() {
    long sum = 0;
    for (StreamRecord record : records()) {
      sum += record.primaryKeyHash() + record.value("amount").orElseThrow().asLong();
    }
    return sum;
  }

  /** What does a processor pay for values of its own of each column? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public void decode(Blackhole seen) {
    for (StreamRecord record : records()) {
      for (PrimaryKeyColumn column : record.getPrimaryKey().getPrimaryKeyColumns()) {
        seen.consume(column.getValue());
      }
      for (RecordColumn column : record.getColumns()) {
        seen.consume(column.getColumn().getValue());
      }
    }
  }
}
