package io.tunnel.bench.security;

import io.tunnel.bench.security.GrantedRights.Owners;
import io.tunnel.bench.security.GrantedRights.Question;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.TlsPeer.ClientCertificate;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
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

/** What a request on a connection costs that asks about some tables in turn, as programs do. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Xmx3g")
public class CallerBenchmark {

  private static final int TABLES = 8;

  /** To whom the million permissions belong. */
  @Param({"MANY", "ONE", "GROUPS"})
  public String owners;

  private Caller caller;
  private List<Question> questions;
  private int next;

  /** Nobody. */
  private static final class NoAdministrators implements Gate.Administrators {
    @Override
    public Optional<AccessKey> key(String id) {
      return Optional.empty();
    }

    @Override
    public Set<Principal> principals() {
      return Set.of();
    }
  }

  /** Reads the permissions from their texts, and lets a caller in. */
  @Setup
  public void letIn() {
    GrantedRights rights = new GrantedRights(Owners.valueOf(owners), GrantedRights.COUNT_MAX);
    SecuritySnapshot snapshot = rights.snapshot();
    IntFunction<Bytes> chance = count -> Bytes.copyOf(new byte[count]);
    Gate gate =
        Gate.closed(
            new Gate.Guard(
                MasterKey.of(chance.apply(MasterKey.KEY_BYTES), chance),
                new NoAdministrators(),
                () -> snapshot,
                chance,
                () -> 0,
                () -> 0));
    List<Question> all = rights.questionsAboutTables();
    Principal first = all.get(0).principal();
    questions =
        all.stream().filter(one -> one.principal().equals(first)).distinct().limit(TABLES).toList();
    caller = gate.certified(new ClientCertificate(first, Long.MAX_VALUE));
  }

  /** What does the right to read a table cost? */
  @Benchmark
  public boolean may() {
    next = next + 1 == questions.size() ? 0 : next + 1;
    return caller.may(Right.READ, questions.get(next).table());
  }
}
