package io.tunnel.bench.security;

import io.tunnel.bench.security.GrantedRights.Owners;
import io.tunnel.bench.security.GrantedRights.Question;
import io.tunnel.server.security.Permissions;
import io.tunnel.wire.Operation.Right;
import java.util.List;
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

/** What an event loop pays for each request to know whether it is allowed. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Xmx3g")
public class PermissionBenchmark {

  /** How many permissions there are. */
  @Param({"10000", "1000000"})
  public int count;

  /** To whom the permissions belong. */
  @Param({"MANY", "ONE", "GROUPS"})
  public String owners;

  private Permissions permissions;
  private List<Question> tables;
  private List<Question> beginnings;
  private List<Question> tunnels;
  private int next;

  /** Reads the permissions from their texts. */
  @Setup
  public void readPermissions() {
    GrantedRights rights = new GrantedRights(Owners.valueOf(owners), count);
    permissions = rights.snapshot().permissions();
    tables = rights.questionsAboutTables();
    beginnings = rights.questionsAboutBeginnings();
    tunnels = rights.questionsAboutTunnels();
  }

  private Question ask(List<Question> questions) {
    next = (next + 1) & (GrantedRights.QUESTIONS - 1);
    return questions.get(next);
  }

  /** What is the floor: to take the next question and not to answer it? */
  @Benchmark
  public int questionAlone() {
    Question question = ask(tables);
    return question.table().length() + question.principal().name().length();
  }

  /** What does a write or read cost that a permission on the table's name allows? */
  @Benchmark
  public boolean allowedByName() {
    Question question = ask(tables);
    return permissions.allows(question.principal(), Right.READ, question.table());
  }

  /** What does it cost when a permission on the beginning of the name allows it? */
  @Benchmark
  public boolean allowedByBeginning() {
    Question question = ask(beginnings);
    return permissions.allows(question.principal(), Right.READ, question.table());
  }

  /** What does it cost to consume a tunnel? */
  @Benchmark
  public boolean allowedTunnel() {
    Question question = ask(tunnels);
    return permissions.allowsTunnel(
        question.principal(), Right.CONSUME, question.table(), question.tunnel());
  }

  /** How long does a refusal take when the principal has another right on the table? */
  @Benchmark
  public boolean deniedRight() {
    Question question = ask(tables);
    return permissions.allows(question.principal(), Right.WRITE, question.table());
  }

  /** What does a table cost that there is no permission on? */
  @Benchmark
  public boolean deniedTable() {
    Question question = ask(tables);
    return permissions.allows(question.principal(), Right.READ, question.other());
  }

  /** What does each table of a list cost that is seen by a right on one of its tunnels alone? */
  @Benchmark
  public boolean seesTableByTunnel() {
    Question question = ask(tunnels);
    return permissions.seesTable(question.principal(), question.table());
  }
}
