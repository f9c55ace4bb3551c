package io.tunnel.flink.perf;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;

/**
 * Sees to it that a job ends. Only its cluster knows whether it has: a job of which the cluster
 * does not say so is cancelled.
 *
 * @param client of the job
 */
record JobEnd(JobClient client) {

  /** How long each answer of the cluster may take, and how long the tasks may take to end. */
  private static final long SECONDS_MAX = 10;

  /**
   * Cancels the job unless it has ended, and waits some seconds for its tasks. A thread that is
   * interrupted cancels the job and does not wait.
   *
   * @throws IllegalStateException when the cluster did not take the cancellation
   */
  void require() {
    if (hasEnded()) {
      return;
    }
    try {
      client.cancel().get(SECONDS_MAX, TimeUnit.SECONDS);
      awaitTasks();
    } catch (IllegalStateException hasEnded) {
      // A cluster in this process ends with its job.
    } catch (ExecutionException | TimeoutException e) {
      if (!hasEnded()) {
        throw new IllegalStateException(
            "job "
                + client.getJobID()
                + " may run on: the cluster did not cancel it: "
                + FlinkJob.reason(e),
            e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean hasEnded() {
    try {
      return client.getJobStatus().get(SECONDS_MAX, TimeUnit.SECONDS).isGloballyTerminalState();
    } catch (IllegalStateException hasEnded) {
      // A cluster in this process ends with its job.
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void awaitTasks() throws InterruptedException {
    try {
      var unused = client.getJobExecutionResult().get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException hasEnded) {
      // That it was cancelled is no result.
    } catch (TimeoutException e) {
      // The cluster has the cancellation, and ends the tasks by itself.
    }
  }
}
