package io.tunnel.bench.flink;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Measures one leg in this process: reads a table again and again, and tells what that cost. */
@Command(name = "leg", description = "A part of FlinkMain.")
final class LegMain implements Callable<Integer> {

  private static final OperatingSystemMXBean SELF =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final LoadClock clock = new SystemClock();

  @Parameters(paramLabel = "JSON", description = "A LegOrder.")
  private String json;

  private LegMain() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new LegMain()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    LegOrder order = Child.order(json, LegOrder.class);
    try (PassRunner runner = runner(order)) {
      long warmNanos = TimeUnit.SECONDS.toNanos(order.pace().warmSeconds());
      Passes warm = passes(order, runner, warmNanos, 0);
      long nanos = TimeUnit.SECONDS.toNanos(order.pace().seconds());
      Passes measured = passes(order, runner, nanos, warm.count());
      Child.tell(
          new LegFigures(warm.rows() + measured.rows(), measured.count(), measured.figures()));
    }
    return 0;
  }

  private static PassRunner runner(LegOrder order) throws Exception {
    return order.reader() == Reader.WORKER ? new WorkerPasses(order) : new FlinkPasses(order);
  }

  /** At least one pass, and others as long as it is not yet so late. */
  private Passes passes(LegOrder order, PassRunner runner, long nanos, int before)
      throws Exception {
    Passes passes = new Passes();
    long beginNanos = clock.nanos();
    while (passes.count() == 0 || clock.nanos() - beginNanos < nanos) {
      passes.add(pass(order, runner, "pass-" + (before + passes.count())));
    }
    return passes;
  }

  private Passes.Pass pass(LegOrder order, PassRunner runner, String name) throws Exception {
    RowCount count =
        new RowCount(
            order.table().rows(), order.parallelism(), clock::nanos, SELF::getProcessCpuTime);
    RowCount.Mark begin = mark();
    Counts.open(name, count);
    try {
      runner.run(name, count);
    } finally {
      Counts.close(name);
    }
    count.require(order.look() == Look.DECODE ? order.table().amounts() : 0);
    return new Passes.Pass(begin, count.first(), count.last(), mark());
  }

  private RowCount.Mark mark() {
    return new RowCount.Mark(clock.nanos(), SELF.getProcessCpuTime(), 0);
  }
}
