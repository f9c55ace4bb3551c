package io.tunnel.flink.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * A task of Flink's in the thread of the test: mails run when the test yields, and timers come as
 * mails at once, so that no test waits for one.
 */
final class FakeTask implements WriterInitContext, MailboxExecutor, ProcessingTimeService {

  private static final long YIELD_SECONDS_MAX = 20;

  private final LinkedBlockingQueue<ThrowingRunnable<? extends Exception>> mails =
      new LinkedBlockingQueue<>();
  private final FakeMetrics metrics = new FakeMetrics();
  private final List<Long> pausesMs = new ArrayList<>();
  private Optional<Runnable> whileIdle = Optional.empty();
  private int yields;
  private int attempt;

  /** The task was started so many times before. */
  void startedBefore(int times) {
    attempt = times;
  }

  /** What happens in the world again and again while the task waits for mail. */
  void whileIdle(Runnable world) {
    whileIdle = Optional.of(world);
  }

  FakeMetrics metrics() {
    return metrics;
  }

  /** The pauses of the timers that were set. */
  List<Long> pausesMs() {
    return pausesMs;
  }

  /** How often the task waited. */
  int yields() {
    return yields;
  }

  @Override
  public void execute(
      MailOptions options,
      ThrowingRunnable<? extends Exception> command,
      String description,
      Object... arguments) {
    mails.add(command);
  }

  @Override
  public void yield() throws InterruptedException {
    yields++;
    while (whileIdle.isPresent() && mails.isEmpty() && !Thread.currentThread().isInterrupted()) {
      whileIdle.get().run();
    }
    ThrowingRunnable<? extends Exception> mail = mails.poll(YIELD_SECONDS_MAX, TimeUnit.SECONDS);
    if (mail == null) {
      throw new AssertionError("nobody wakes the task");
    }
    run(mail);
  }

  @Override
  public boolean tryYield() {
    ThrowingRunnable<? extends Exception> mail = mails.poll();
    if (mail != null) {
      run(mail);
    }
    return mail != null;
  }

  private static void run(ThrowingRunnable<? extends Exception> mail) {
    try {
      mail.run();
    } catch (Exception e) {
      throw new FlinkRuntimeException(e);
    }
  }

  @Override
  public boolean shouldInterrupt() {
    return false;
  }

  @Override
  public long getCurrentProcessingTime() {
    return 1_000_000;
  }

  @Override
  public ScheduledFuture<?> registerTimer(long timestamp, ProcessingTimeCallback target) {
    pausesMs.add(timestamp - getCurrentProcessingTime());
    mails.add(() -> target.onProcessingTime(timestamp));
    return null;
  }

  @Override
  public MailboxExecutor getMailboxExecutor() {
    return this;
  }

  @Override
  public ProcessingTimeService getProcessingTimeService() {
    return this;
  }

  @Override
  public FakeMetrics metricGroup() {
    return metrics;
  }

  @Override
  public SerializationSchema.InitializationContext asSerializationSchemaInitializationContext() {
    return null;
  }

  @Override
  public UserCodeClassLoader getUserCodeClassLoader() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isObjectReuseEnabled() {
    return false;
  }

  @Override
  public <T> TypeSerializer<T> createInputSerializer() {
    throw new UnsupportedOperationException();
  }

  @Override
  public OptionalLong getRestoredCheckpointId() {
    return OptionalLong.empty();
  }

  @Override
  public JobInfo getJobInfo() {
    throw new UnsupportedOperationException();
  }

  @Override
  public TaskInfo getTaskInfo() {
    return new TaskInfoImpl("writer", 128, 0, 1, attempt);
  }
}
