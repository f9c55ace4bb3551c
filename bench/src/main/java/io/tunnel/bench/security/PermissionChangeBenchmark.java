package io.tunnel.bench.security;

import io.tunnel.bench.security.GrantedRights.Owners;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

/** What the thread that follows the catalog pays for permissions. */
@State(Scope.Benchmark)
@Fork(value = 2, jvmArgsAppend = "-Xmx3g")
public class PermissionChangeBenchmark {

  /** To whom the million permissions belong. */
  @Param({"MANY", "ONE"})
  public String owners;

  private GrantedRights rights;
  private Map<String, String> texts;
  private SecurityRecords records;
  private int next;

  /** Reads the permissions from their texts. */
  @Setup
  public void readPermissions() {
    rights = new GrantedRights(Owners.valueOf(owners), GrantedRights.COUNT_MAX);
    texts = rights.texts();
    records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    long before = heldBytes();
    records.replace(texts);
    System.out.printf(
        "%nheld by a million permissions: %d MB%n", (heldBytes() - before) / 1_000_000);
  }

  /** How long does it take to take one permission away, and to give it again? */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.MICROSECONDS)
  @Warmup(iterations = 3, time = 1)
  @Measurement(iterations = 5, time = 1)
  public SecuritySnapshot changeTwice() {
    next = (next + 7_919) % GrantedRights.COUNT_MAX;
    Permission permission = rights.permission(next);
    records.apply(SecurityRecords.removalOfPermission(permission.id()));
    records.apply(records.noting(permission));
    return records.snapshot();
  }

  /** How long does a node that starts take to read a million permissions? */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  @Warmup(iterations = 1)
  @Measurement(iterations = 3)
  public SecuritySnapshot readAll() {
    records.replace(texts);
    return records.snapshot();
  }

  private static long heldBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
