package io.tunnel.flink.perf;

import io.tunnel.perf.PerfEngine;
import io.tunnel.perf.PerfJob;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.LocalStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Counts in a job of Flink's: in this process, or where {@code flink run} submits it. */
public final class FlinkEngine implements PerfEngine {

  /** Lines come when a checkpoint is complete, if there are checkpoints. */
  private static final long CHECKPOINT_MS = 1_000;

  /** For {@link java.util.ServiceLoader}. */
  public FlinkEngine() {}

  @Override
  public String name() {
    return "flink";
  }

  @Override
  public PerfJob start(Task task) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    boolean isLocal = env instanceof LocalStreamEnvironment;
    Configuration settings = new Configuration();
    if (isLocal) {
      // The user who looks on is told what is wrong, and starts it again.
      settings.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    }
    env.configure(settings);
    env.getConfig().enableObjectReuse();
    if (task.place().tunnel().isPresent() && !env.getCheckpointConfig().isCheckpointingEnabled()) {
      env.enableCheckpointing(CHECKPOINT_MS);
    }
    return FlinkJob.start(env, task, isLocal);
  }
}
