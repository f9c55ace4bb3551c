package io.tunnel.flink.perf;

import io.tunnel.flink.source.StartAt;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.flink.source.TunnelSourceBuilder;
import io.tunnel.model.StreamStart;
import io.tunnel.perf.PerfEngine.Task;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job: a table's changes in, a window's counts out. */
final class RateJob {

  /** How long a partition has no changes before the others' windows do not wait for it. */
  private static final Duration IDLENESS = Duration.ofSeconds(2);

  private RateJob() {}

  /** Windows that are complete, in the order of time. */
  static DataStream<WindowCounts> windows(StreamExecutionEnvironment env, Task task) {
    JobClock clock = new SystemClock();
    WatermarkStrategy<Seen> watermarks =
        WatermarkStrategy.<Seen>forMonotonousTimestamps().withIdleness(IDLENESS);
    return env.fromSource(
            source(task, new SeenSchema(task.cost(), clock)), watermarks, task.place().table())
        .setParallelism(task.parallelism())
        .transform(
            "windows of a reader",
            TypeInformation.of(LocalCounts.class),
            new LocalWindows(task.intervalMs(), clock))
        .setParallelism(task.parallelism())
        .transform(
            "windows", TypeInformation.of(WindowCounts.class), new TotalWindows(task.intervalMs()))
        .setParallelism(1)
        .setMaxParallelism(1);
  }

  private static TunnelSource<Seen> source(Task task, SeenSchema schema) {
    TunnelSourceBuilder<Seen> builder =
        TunnelSource.builder(schema).endpoint(task.place().endpoint()).table(task.place().table());
    if (task.place().tunnel().isPresent()) {
      String tunnel = task.place().tunnel().get();
      builder.startAt(StartAt.checkpointOf(tunnel)).reportTo(tunnel);
    } else {
      builder.startAt(task.start() == StreamStart.EARLIEST ? StartAt.earliest() : StartAt.latest());
    }
    return builder.build();
  }
}
