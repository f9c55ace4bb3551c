package io.tunnel.flink.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a job ends, in a cluster that the test is. */
class FlinkJobTest {

  private static final long LOOK_MS = 5;

  @TempDir private Path directory;

  private final FakeJobClient cluster = new FakeJobClient();
  private Path savepoints;

  @BeforeEach
  void makeDirectory() throws IOException {
    savepoints = Files.createDirectory(directory.resolve("savepoints"));
  }

  private FlinkJob job(Iterator<WindowCounts> windows) {
    return FlinkJob.of(
        100,
        cluster,
        CloseableIterator.adapterForIterator(windows, cluster::closeWindows),
        Optional.of(savepoints));
  }

  /** As Flink's iterator does when the job manager does not answer it. */
  private static Iterator<WindowCounts> lost() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        throw new IllegalArgumentException("the job manager is away");
      }

      @Override
      public WindowCounts next() {
        throw new AssertionError("there is none");
      }
    };
  }

  private static Iterator<WindowCounts> none() {
    return List.<WindowCounts>of().iterator();
  }

  private static void awaitEnd(FlinkJob job) throws InterruptedException {
    while (!job.hasEnded()) {
      assertThat(job.next(LOOK_MS)).isEmpty();
    }
  }

  private void assertClosed() {
    assertThat(cluster.areWindowsClosed()).isTrue();
    assertThat(savepoints).doesNotExist();
  }

  @Test
  void a_job_whose_windows_cannot_be_fetched_any_more_is_cancelled() throws Exception {
    FlinkJob job = job(lost());
    awaitEnd(job);
    assertThat(job.failure()).contains("the job manager is away");
    job.close();
    assertThat(cluster.cancellations()).isEqualTo(1);
    assertClosed();
  }

  @Test
  void a_job_that_runs_while_there_are_said_to_be_no_more_windows_is_cancelled() throws Exception {
    FlinkJob job = job(none());
    awaitEnd(job);
    job.close();
    assertThat(cluster.cancellations()).isEqualTo(1);
    assertClosed();
  }

  @Test
  void a_job_that_has_ended_is_not_cancelled() {
    cluster.status(CompletableFuture.completedFuture(JobStatus.FINISHED));
    job(none()).close();
    assertThat(cluster.cancellations()).isZero();
    assertClosed();
  }

  @Test
  void a_job_of_which_the_cluster_does_not_say_whether_it_has_ended_is_cancelled() {
    cluster.status(CompletableFuture.failedFuture(new IOException("connection refused")));
    job(none()).close();
    assertThat(cluster.cancellations()).isEqualTo(1);
    assertClosed();
  }

  @Test
  void a_job_that_cannot_be_cancelled_is_named() {
    cluster.refusesCancellations(new IOException("connection refused"), JobStatus.RUNNING);
    FlinkJob job = job(lost());
    assertThatThrownBy(job::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("job " + cluster.getJobID() + " may run on")
        .hasMessageContaining("connection refused");
    assertThat(savepoints).doesNotExist();
  }

  @Test
  void a_job_that_ends_before_it_is_cancelled_has_ended() {
    cluster.refusesCancellations(new IOException("the job is FAILED"), JobStatus.FAILED);
    job(lost()).close();
    assertClosed();
  }

  @Test
  void a_cluster_of_this_process_that_is_gone_has_ended_its_job() {
    cluster.shutDown();
    job(none()).close();
    assertClosed();
  }

  @Test
  void a_thread_that_is_interrupted_cancels_its_job_and_stays_interrupted() {
    FlinkJob job = job(none());
    Thread.currentThread().interrupt();
    job.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(cluster.cancellations()).isEqualTo(1);
    assertClosed();
  }

  @Test
  void a_job_may_be_closed_twice() {
    FlinkJob job = job(none());
    job.close();
    cluster.status(CompletableFuture.completedFuture(JobStatus.CANCELED));
    job.close();
    assertThat(cluster.cancellations()).isEqualTo(1);
  }
}
