package io.tunnel.bench.flink;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A cluster of Flink's in this process, with one task manager. */
public final class LocalFlink implements AutoCloseable {

  private static final long CALL_SECONDS_MAX = 60;

  private final MiniCluster cluster;

  private LocalFlink(MiniCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts one on free ports. */
  public static LocalFlink start(int slots) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_PORT, "0");
    // All tasks begin anew when one fails, as in a job that shuffles.
    configuration.set(JobManagerOptions.EXECUTION_FAILOVER_STRATEGY, "full");
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .build());
    cluster.start();
    return new LocalFlink(cluster);
  }

  /** Starts the job that was described, from a savepoint if there is one. */
  public JobID submit(StreamExecutionEnvironment job, Optional<String> savepoint) throws Exception {
    JobGraph graph = job.getStreamGraph().getJobGraph();
    savepoint.ifPresent(
        path -> graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(path)));
    return within(CALL_SECONDS_MAX, cluster.submitJob(graph)).getJobID();
  }

  /** Returns when a job has ended, and throws why it failed. */
  void awaitEnd(JobID job, long secondsMax) throws Exception {
    JobResult result = within(secondsMax, cluster.requestJobResult(job));
    var unused = result.toJobExecutionResult(LocalFlink.class.getClassLoader());
  }

  /** Ends a job, and returns where its savepoint is. */
  public String stopWithSavepoint(JobID job, String directory) throws Exception {
    String path =
        within(
            CALL_SECONDS_MAX,
            cluster.stopWithSavepoint(job, directory, false, SavepointFormatType.CANONICAL));
    awaitEnd(job, CALL_SECONDS_MAX);
    return path;
  }

  /** Ends a job. */
  public void cancel(JobID job) throws Exception {
    within(CALL_SECONDS_MAX, cluster.cancelJob(job));
    within(CALL_SECONDS_MAX, cluster.requestJobResult(job));
  }

  private static <T> T within(long seconds, CompletableFuture<T> future) throws Exception {
    return future.get(seconds, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    cluster.closeAsync().orTimeout(CALL_SECONDS_MAX, TimeUnit.SECONDS).join();
  }
}
