package io.tunnel.bench.kit;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** How long do a start of the test kit, and a test with a table, take in a warm JVM? */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class KitBenchmark {

  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1).build();

  private InMemoryTunnelService service;
  private TableClient tables;
  private int created;

  /** Starts the service of {@link #test}. */
  @Setup(Level.Iteration)
  public void start() {
    service = InMemoryTunnelService.start();
    tables = TableClient.connect(service.endpoint());
  }

  /** Closes it. */
  @TearDown(Level.Iteration)
  public void close() {
    tables.close();
    service.close();
  }

  /** How many microseconds take a start and a close, after which no thread is left? */
  @Benchmark
  public String startAndClose() {
    try (InMemoryTunnelService fresh = InMemoryTunnelService.start()) {
      return fresh.endpoint();
    }
  }

  /** How many microseconds take a new table, a row that a client writes, its read, and a drop? */
  @Benchmark
  public Row test() {
    String table = "t" + ++created;
    service.createTable(
        CreateTableRequest.builder(table).key("id", PrimaryKeyType.INTEGER).build());
    tables.write(table, List.of(Row.key(KEY).put()));
    Row found = tables.getRow(table, KEY).orElseThrow();
    tables.dropTable(table);
    return found;
  }
}
