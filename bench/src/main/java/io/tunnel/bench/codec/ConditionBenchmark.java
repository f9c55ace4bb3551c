package io.tunnel.bench.codec;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.value.Bytes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a condition costs per row, and allocates with {@code -prof gc}. Beside it belong {@link
 * BatchReadBenchmark#walk}, the floor, and {@link BatchReadBenchmark#decodeAll}, which a condition
 * over objects would cost before it began.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ConditionBenchmark {

  /**
   * Comparisons of an attribute, none of which decides before the last: {@code nodes - 1} of them
   * below an {@code and}; for 1 node, one alone.
   */
  @Param({"1", "4", "16", "64"})
  private int nodes;

  private ChangeBatch batch;
  private Judge judge;
  private Judge keyJudge;
  private Bytes encoded;

  /** Makes batch and judges. */
  @Setup
  public void prepare() {
    byte[] bytes = WhitepaperRows.batch();
    batch = ChangeBatch.parse(bytes, 0, bytes.length);
    StringBuilder text = new StringBuilder("amount != -1");
    for (int i = 2; i < nodes; i++) {
      text.append(" and amount != -").append(i);
    }
    Condition condition = Condition.parse(text.toString());
    encoded = condition.encode();
    ConditionPlace place = ConditionPlace.ofRows(WhitepaperRows.SCHEMA);
    judge = new Judge(condition, place);
    keyJudge =
        new Judge(Condition.parse("device starts with \"a\" and sequence >= 0", place), place);
    if (countOf(judge) != WhitepaperRows.COUNT) {
      throw new IllegalStateException("'" + condition + "' must hold of every row");
    }
  }

  private int countOf(Judge of) {
    int count = 0;
    RowCursor row = batch.rows();
    while (row.next()) {
      count += of.holdsOf(row) ? 1 : 0;
    }
    return count;
  }

  /** How long does it take to judge a row by its attributes? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public int judge() {
    return countOf(judge);
  }

  /** How long does it take to judge a row by a STRING and an INTEGER of its key? */
  @Benchmark
  @OperationsPerInvocation(WhitepaperRows.COUNT)
  public int judgeKey() {
    return countOf(keyJudge);
  }

  /** How long does it take to decode a condition and to make a judge of it, once a request? */
  @Benchmark
  public Judge prepareJudge() {
    return new Judge(Condition.decode(encoded), ConditionPlace.ofRows(WhitepaperRows.SCHEMA));
  }
}
