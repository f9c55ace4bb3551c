package io.tunnel.flink.perf;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;

/** A job of a cluster that says what the test wants; its tasks end when it is cancelled. */
final class FakeJobClient implements JobClient {

  private final JobID id = new JobID();
  private final CompletableFuture<JobExecutionResult> result = new CompletableFuture<>();
  private CompletableFuture<JobStatus> status =
      CompletableFuture.completedFuture(JobStatus.RUNNING);
  private Optional<Exception> refusal = Optional.empty();
  private JobStatus statusAfterRefusal = JobStatus.RUNNING;
  private boolean isShutDown;
  private boolean areWindowsClosed;
  private int cancellations;

  /** What the cluster says of the job from now on. */
  void status(CompletableFuture<JobStatus> answer) {
    status = answer;
  }

  /** The cluster takes no cancellation, and the job's status is another one then. */
  void refusesCancellations(Exception why, JobStatus then) {
    refusal = Optional.of(why);
    statusAfterRefusal = then;
  }

  /** The cluster is gone, as one of this process is when its job has ended. */
  void shutDown() {
    isShutDown = true;
  }

  /** For the iterator of windows. */
  void closeWindows() {
    areWindowsClosed = true;
  }

  boolean areWindowsClosed() {
    return areWindowsClosed;
  }

  int cancellations() {
    return cancellations;
  }

  private void requireUp() {
    if (isShutDown) {
      throw new IllegalStateException("MiniCluster has already been shut down");
    }
  }

  @Override
  public JobID getJobID() {
    return id;
  }

  @Override
  public CompletableFuture<JobStatus> getJobStatus() {
    requireUp();
    return status;
  }

  @Override
  public CompletableFuture<Void> cancel() {
    requireUp();
    cancellations++;
    if (refusal.isPresent()) {
      status = CompletableFuture.completedFuture(statusAfterRefusal);
      return CompletableFuture.failedFuture(refusal.get());
    }
    result.completeExceptionally(new IOException("cancelled"));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<JobExecutionResult> getJobExecutionResult() {
    return result;
  }

  @Override
  public CompletableFuture<Map<String, Object>> getAccumulators() {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<String> stopWithSavepoint(
      boolean advancesToEnd, String directory, SavepointFormatType format) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<String> triggerSavepoint(String directory, SavepointFormatType format) {
    throw new UnsupportedOperationException();
  }
}
