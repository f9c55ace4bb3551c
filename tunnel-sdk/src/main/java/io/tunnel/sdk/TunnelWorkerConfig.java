package io.tunnel.sdk;

import io.tunnel.sdk.processor.FailedRecordException;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Options of a {@link TunnelWorker}. Options of Tablestore's SDK have their names there. A worker
 * reads the options once, when it is made; many workers may share a configuration.
 */
public final class TunnelWorkerConfig {

  private IChannelProcessor channelProcessor;
  private long heartbeatTimeoutInSec = 30;
  private long heartbeatIntervalInSec = 5;
  private long checkpointIntervalInMillis = 5_000;
  private String clientTag = HostTag.OF_THIS_PROCESS;
  private int maxChannelParallel = -1;
  private int maxChannels;
  private int processorThreads = 64;
  private int channelCreditBytes = 1 << 20;
  private long bufferBytesMax = 64L << 20;
  private int processRowsMax = 10_000;
  private int processBytesMax = 1 << 20;
  private int processAttemptsMax = Integer.MAX_VALUE;
  private long processRetryInMillis = 600_000;
  private int processPauseMaxInMillis = 30_000;
  private boolean skipAfterRetries;
  private List<Class<? extends Throwable>> skippedFailures = List.of();
  private int maxRetryIntervalInMillis = 2_000;
  private long shutdownDeadlineInMillis = 30_000;
  private FailurePolicy failurePolicy;
  private ITunnelWorkerListener listener;

  /** A configuration without a processor, for workers with a factory. */
  public TunnelWorkerConfig() {}

  /** A configuration with a processor that all channels share. */
  public TunnelWorkerConfig(IChannelProcessor channelProcessor) {
    this.channelProcessor = channelProcessor;
  }

  /** A configuration with a lambda that all channels share: {@link IChannelProcessor#of}. */
  public TunnelWorkerConfig(Consumer<? super ProcessRecordsInput> process) {
    this(IChannelProcessor.of(process));
  }

  /** Starts a configuration in one expression. */
  public static Builder builder() {
    return new Builder();
  }

  /** The processor that all channels share; null if not set. */
  public IChannelProcessor getChannelProcessor() {
    return channelProcessor;
  }

  /** Sets the processor that all channels share. */
  public void setChannelProcessor(IChannelProcessor processor) {
    channelProcessor = processor;
  }

  /** See {@link #setHeartbeatTimeoutInSec}. */
  public long getHeartbeatTimeoutInSec() {
    return heartbeatTimeoutInSec;
  }

  /**
   * Time for which the server keeps the session of a silent worker, in seconds; 1 to 3600, default
   * 30. A worker whose connection closes loses its session at once.
   */
  public void setHeartbeatTimeoutInSec(long seconds) {
    heartbeatTimeoutInSec = requireRange("heartbeatTimeoutInSec", seconds, 1, 3_600);
  }

  /** See {@link #setHeartbeatIntervalInSec}. */
  public long getHeartbeatIntervalInSec() {
    return heartbeatIntervalInSec;
  }

  /**
   * Time between two heartbeats in seconds; 1 to 3600, default 5. The worker sends at least three
   * heartbeats within the {@link #setHeartbeatTimeoutInSec timeout}, even if this option is larger.
   */
  public void setHeartbeatIntervalInSec(long seconds) {
    heartbeatIntervalInSec = requireRange("heartbeatIntervalInSec", seconds, 1, 3_600);
  }

  /** See {@link #setCheckpointIntervalInMillis}. */
  public long getCheckpointIntervalInMillis() {
    return checkpointIntervalInMillis;
  }

  /**
   * Time between two checkpoints in milliseconds; 1 to a day, default 5000. A crash repeats the
   * changes behind the last checkpoint; a graceful end repeats no change.
   */
  public void setCheckpointIntervalInMillis(long millis) {
    checkpointIntervalInMillis = requireRange("checkpointIntervalInMillis", millis, 1, 86_400_000);
  }

  /** See {@link #setClientTag}. */
  public String getClientTag() {
    return clientTag;
  }

  /**
   * Name of the worker in descriptions of the tunnel, 1 to 255 characters; default HOST-PID, the
   * host's name and the process's number.
   */
  public void setClientTag(String tag) {
    if (tag == null || tag.isEmpty() || tag.length() > 255) {
      throw new IllegalArgumentException("clientTag has 1 to 255 characters");
    }
    clientTag = tag;
  }

  /** See {@link #setMaxChannelParallel}. */
  public int getMaxChannelParallel() {
    return maxChannelParallel;
  }

  /** Most channels to process in parallel; -1, the default, for no limit except the threads. */
  public void setMaxChannelParallel(int channels) {
    if (channels == 0 || channels < -1) {
      throw new IllegalArgumentException(
          "maxChannelParallel is at least 1, or -1 for no limit, not " + channels);
    }
    maxChannelParallel = channels;
  }

  /** See {@link #setMaxChannels}. */
  public int maxChannels() {
    return maxChannels;
  }

  /** Most channels to hold; 0, the default, for any number. */
  public void setMaxChannels(int channels) {
    maxChannels = (int) requireRange("maxChannels", channels, 0, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessorThreads}. */
  public int processorThreads() {
    return processorThreads;
  }

  /**
   * Most threads that call processors; 1 to 10,000, default 64. A worker never has more of these
   * threads than channels. A processor that blocks keeps its thread: when all threads are blocked,
   * the other channels wait, but sessions and heartbeats go on.
   */
  public void setProcessorThreads(int threads) {
    processorThreads = (int) requireRange("processorThreads", threads, 1, 10_000);
  }

  /** See {@link #setChannelCreditBytes}. */
  public int channelCreditBytes() {
    return channelCreditBytes;
  }

  /**
   * Most bytes that may wait for the processor of one channel; 1 to 1 GiB, default 1 MiB. The last
   * delivery may exceed the limit. A worker with many channels gives each channel less, see {@link
   * #setBufferBytesMax}.
   */
  public void setChannelCreditBytes(int bytes) {
    channelCreditBytes = (int) requireRange("channelCreditBytes", bytes, 1, 1 << 30);
  }

  /** See {@link #setBufferBytesMax}. */
  public long bufferBytesMax() {
    return bufferBytesMax;
  }

  /**
   * Most bytes that may wait for the processors of all channels together; at least 64 KiB, default
   * 64 MiB. Each channel gets an equal share, but at least 64 KiB and at most {@link
   * #setChannelCreditBytes}. The last delivery of a channel may exceed the share: a batch as it was
   * written, or several small batches of together up to 256 KiB.
   */
  public void setBufferBytesMax(long bytes) {
    bufferBytesMax = requireRange("bufferBytesMax", bytes, 64 << 10, Long.MAX_VALUE);
  }

  /** See {@link #setProcessRowsMax}. */
  public int processRowsMax() {
    return processRowsMax;
  }

  /** Most rows of one {@code process} call; at least 1, default 10,000. */
  public void setProcessRowsMax(int rows) {
    processRowsMax = (int) requireRange("processRowsMax", rows, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessBytesMax}. */
  public int processBytesMax() {
    return processBytesMax;
  }

  /**
   * Most bytes of rows of one {@code process} call; at least 1, default 1 MiB. A larger row is
   * processed alone.
   */
  public void setProcessBytesMax(int bytes) {
    processBytesMax = (int) requireRange("processBytesMax", bytes, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessAttemptsMax}. */
  public int processAttemptsMax() {
    return processAttemptsMax;
  }

  /**
   * Most attempts to process an input, at least 1. By default only {@link #setProcessRetryInMillis}
   * limits the attempts.
   */
  public void setProcessAttemptsMax(int attempts) {
    processAttemptsMax = (int) requireRange("processAttemptsMax", attempts, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessRetryInMillis}. */
  public long processRetryInMillis() {
    return processRetryInMillis;
  }

  /**
   * Time after its first failure during which an input is retried, in milliseconds; at least 0,
   * default 600,000 (ten minutes). The pauses grow from 100 ms up to {@link
   * #setProcessPauseMaxInMillis}. After this time, the channel stops until an operator resumes it,
   * unless {@link #setSkipAfterRetries} is set. Other channels go on, and a shutdown or a move does
   * not wait for the end of a pause. During the retries, {@link TunnelWorker#status}, the listener
   * and the description of the tunnel report the channel as retrying.
   */
  public void setProcessRetryInMillis(long millis) {
    processRetryInMillis = requireRange("processRetryInMillis", millis, 0, 604_800_000);
  }

  /** See {@link #setProcessPauseMaxInMillis}. */
  public int processPauseMaxInMillis() {
    return processPauseMaxInMillis;
  }

  /** Longest pause between two attempts, in milliseconds; 1 to an hour, default 30,000. */
  public void setProcessPauseMaxInMillis(int millis) {
    processPauseMaxInMillis = (int) requireRange("processPauseMaxInMillis", millis, 1, 3_600_000);
  }

  /** See {@link #setSkipAfterRetries}. */
  public boolean skipsAfterRetries() {
    return skipAfterRetries;
  }

  /**
   * Skips a change that still fails after all retries, as {@link FailurePolicy.Skip} describes,
   * instead of stopping its channel; default false. The worker first retries the input, and then,
   * with the same limits, the single change that fails.
   */
  public void setSkipAfterRetries(boolean skips) {
    skipAfterRetries = skips;
  }

  /** See {@link #setSkippedFailures}. */
  public List<Class<? extends Throwable>> skippedFailures() {
    return skippedFailures;
  }

  /**
   * Types of exceptions whose change is skipped without a retry, as {@link FailurePolicy.Skip}
   * describes; default none. The processor may throw such an exception, or throw an exception with
   * such a cause.
   */
  public void setSkippedFailures(List<Class<? extends Throwable>> types) {
    skippedFailures = List.copyOf(types);
  }

  /** Accepts errors that have, or whose cause has, a type of {@link #setSkippedFailures}. */
  public Predicate<Throwable> isSkippedFailure() {
    List<Class<? extends Throwable>> types = skippedFailures;
    return error -> FailedRecordException.isCausedBy(error, types);
  }

  /** See {@link #setMaxRetryIntervalInMillis}. */
  public int getMaxRetryIntervalInMillis() {
    return maxRetryIntervalInMillis;
  }

  /** Longest pause between two attempts to connect, in milliseconds; at least 1, default 2000. */
  public void setMaxRetryIntervalInMillis(int millis) {
    maxRetryIntervalInMillis = (int) requireRange("maxRetryIntervalInMillis", millis, 1, 3_600_000);
  }

  /** See {@link #setShutdownDeadlineInMillis}. */
  public long shutdownDeadlineInMillis() {
    return shutdownDeadlineInMillis;
  }

  /** Longest {@link TunnelWorker#shutdown} in milliseconds; at least 0, default 30,000. */
  public void setShutdownDeadlineInMillis(long millis) {
    shutdownDeadlineInMillis = requireRange("shutdownDeadlineInMillis", millis, 0, 86_400_000);
  }

  /** See {@link #setFailurePolicy}; absent for the default. */
  public Optional<FailurePolicy> failurePolicy() {
    return Optional.ofNullable(failurePolicy);
  }

  /**
   * Decides about failures of processors, in place of {@link #setProcessRetryInMillis}, {@link
   * #setProcessAttemptsMax}, {@link #setSkippedFailures} and {@link #setSkipAfterRetries}. Null,
   * the default, for the rules of these options.
   */
  public void setFailurePolicy(FailurePolicy policy) {
    failurePolicy = policy;
  }

  /** See {@link #setListener}; absent if not set. */
  public Optional<ITunnelWorkerListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** Observes the worker; null, the default, for no listener. */
  public void setListener(ITunnelWorkerListener hears) {
    listener = hears;
  }

  private static long requireRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + min + " to " + max + ", not " + value);
    }
    return value;
  }

  /** Collects options; the setters of the configuration with these names describe them. */
  public static final class Builder {

    private final TunnelWorkerConfig config = new TunnelWorkerConfig();

    private Builder() {}

    /** The processor that all channels share. */
    public Builder processor(IChannelProcessor processor) {
      config.setChannelProcessor(processor);
      return this;
    }

    /** A lambda that all channels share: {@link IChannelProcessor#of}. */
    public Builder processor(Consumer<? super ProcessRecordsInput> process) {
      return processor(IChannelProcessor.of(process));
    }

    /** Name of the worker. */
    public Builder clientTag(String tag) {
      config.setClientTag(tag);
      return this;
    }

    /** Time between two checkpoints. */
    public Builder checkpointIntervalInMillis(long millis) {
      config.setCheckpointIntervalInMillis(millis);
      return this;
    }

    /** Most bytes that wait in one channel. */
    public Builder channelCreditBytes(int bytes) {
      config.setChannelCreditBytes(bytes);
      return this;
    }

    /** Most bytes that wait in all channels together. */
    public Builder bufferBytesMax(long bytes) {
      config.setBufferBytesMax(bytes);
      return this;
    }

    /** Decides about failures of processors. */
    public Builder failurePolicy(FailurePolicy policy) {
      config.setFailurePolicy(policy);
      return this;
    }

    /** Observes the worker. */
    public Builder listener(ITunnelWorkerListener listener) {
      config.setListener(listener);
      return this;
    }

    /** Most threads that call processors. */
    public Builder processorThreads(int threads) {
      config.setProcessorThreads(threads);
      return this;
    }

    /** Most channels to hold. */
    public Builder maxChannels(int channels) {
      config.setMaxChannels(channels);
      return this;
    }

    /** Time for which the server keeps the session of a silent worker. */
    public Builder heartbeatTimeoutInSec(long seconds) {
      config.setHeartbeatTimeoutInSec(seconds);
      return this;
    }

    /** Time between two heartbeats. */
    public Builder heartbeatIntervalInSec(long seconds) {
      config.setHeartbeatIntervalInSec(seconds);
      return this;
    }

    /** Most channels to process in parallel. */
    public Builder maxChannelParallel(int channels) {
      config.setMaxChannelParallel(channels);
      return this;
    }

    /** Most rows of one {@code process} call. */
    public Builder processRowsMax(int rows) {
      config.setProcessRowsMax(rows);
      return this;
    }

    /** Most bytes of rows of one {@code process} call. */
    public Builder processBytesMax(int bytes) {
      config.setProcessBytesMax(bytes);
      return this;
    }

    /** Most attempts to process an input. */
    public Builder processAttemptsMax(int attempts) {
      config.setProcessAttemptsMax(attempts);
      return this;
    }

    /** Time during which a failed input is retried. */
    public Builder processRetryInMillis(long millis) {
      config.setProcessRetryInMillis(millis);
      return this;
    }

    /** Longest pause between two attempts to process an input. */
    public Builder processPauseMaxInMillis(int millis) {
      config.setProcessPauseMaxInMillis(millis);
      return this;
    }

    /** Skips a change that still fails after all retries. */
    public Builder skipAfterRetries(boolean skips) {
      config.setSkipAfterRetries(skips);
      return this;
    }

    /** Types of exceptions whose change is skipped at once. */
    public Builder skippedFailures(List<Class<? extends Throwable>> types) {
      config.setSkippedFailures(types);
      return this;
    }

    /** Longest pause between two attempts to connect. */
    public Builder maxRetryIntervalInMillis(int millis) {
      config.setMaxRetryIntervalInMillis(millis);
      return this;
    }

    /** Longest shutdown. */
    public Builder shutdownDeadlineInMillis(long millis) {
      config.setShutdownDeadlineInMillis(millis);
      return this;
    }

    /** Returns the configuration; the builder must not be used afterwards. */
    public TunnelWorkerConfig build() {
      return config;
    }
  }
}
