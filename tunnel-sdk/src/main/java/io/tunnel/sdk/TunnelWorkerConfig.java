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
 * Options of a {@link TunnelWorker}, named as in Tablestore's SDK where it has them. A worker reads
 * them once, when it is made; one configuration may serve many workers.
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

  /** Without a processor: the worker is given a factory. */
  public TunnelWorkerConfig() {}

  /** With a processor that all channels share. */
  public TunnelWorkerConfig(IChannelProcessor channelProcessor) {
    this.channelProcessor = channelProcessor;
  }

  /** With a lambda that all channels share: {@link IChannelProcessor#of}. */
  public TunnelWorkerConfig(Consumer<? super ProcessRecordsInput> process) {
    this(IChannelProcessor.of(process));
  }

  /** Starts a configuration in one expression. */
  public static Builder builder() {
    return new Builder();
  }

  /** The processor that all channels share; null when there is none. */
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
   * How long the server keeps the session of a worker that is silent; 1 to 3600, default 30. A
   * worker whose connection closes loses its session at once.
   */
  public void setHeartbeatTimeoutInSec(long seconds) {
    heartbeatTimeoutInSec = requireRange("heartbeatTimeoutInSec", seconds, 1, 3_600);
  }

  /** See {@link #setHeartbeatIntervalInSec}. */
  public long getHeartbeatIntervalInSec() {
    return heartbeatIntervalInSec;
  }

  /**
   * How often the worker says that it lives; 1 to 3600, default 5. It does so at least three times
   * in a {@link #setHeartbeatTimeoutInSec timeout}, whatever is set here.
   */
  public void setHeartbeatIntervalInSec(long seconds) {
    heartbeatIntervalInSec = requireRange("heartbeatIntervalInSec", seconds, 1, 3_600);
  }

  /** See {@link #setCheckpointIntervalInMillis}. */
  public long getCheckpointIntervalInMillis() {
    return checkpointIntervalInMillis;
  }

  /**
   * How often progress is checkpointed while there is any; 1 to a day, default 5000. A crash
   * repeats the changes since; a graceful end repeats none.
   */
  public void setCheckpointIntervalInMillis(long millis) {
    checkpointIntervalInMillis = requireRange("checkpointIntervalInMillis", millis, 1, 86_400_000);
  }

  /** See {@link #setClientTag}. */
  public String getClientTag() {
    return clientTag;
  }

  /**
   * What the worker calls itself in descriptions of the tunnel; default HOST-PID, the host's name
   * and the process's number.
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

  /** Channels processed at the same time at most; -1, the default, for no limit but the threads. */
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

  /** Channels that the worker will hold at most; 0, the default, for any number. */
  public void setMaxChannels(int channels) {
    maxChannels = (int) requireRange("maxChannels", channels, 0, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessorThreads}. */
  public int processorThreads() {
    return processorThreads;
  }

  /**
   * Threads that call processors at most, never more than channels; default 64. A processor that
   * blocks keeps its thread: when as many channels are stuck as there are threads, the others wait,
   * though sessions and heartbeats go on.
   */
  public void setProcessorThreads(int threads) {
    processorThreads = (int) requireRange("processorThreads", threads, 1, 10_000);
  }

  /** See {@link #setChannelCreditBytes}. */
  public int channelCreditBytes() {
    return channelCreditBytes;
  }

  /**
   * Bytes that may be delivered to a channel and wait for its processor; 1 to 1 GiB, default 1 MiB.
   * One delivery may go over it. A worker with many channels gives each less, see {@link
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
   * Bytes that may be delivered and wait in all channels together; at least 64 KiB, default 64 MiB.
   * Each channel has an equal part of it, but not less than 64 KiB nor more than {@link
   * #setChannelCreditBytes}. Each channel may go over its part by one delivery, which is one batch
   * as it was written, or several small ones of together up to 256 KiB.
   */
  public void setBufferBytesMax(long bytes) {
    bufferBytesMax = requireRange("bufferBytesMax", bytes, 64 << 10, Long.MAX_VALUE);
  }

  /** See {@link #setProcessRowsMax}. */
  public int processRowsMax() {
    return processRowsMax;
  }

  /** Rows given to one {@code process} at most; 1 or more, default 10,000. */
  public void setProcessRowsMax(int rows) {
    processRowsMax = (int) requireRange("processRowsMax", rows, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessBytesMax}. */
  public int processBytesMax() {
    return processBytesMax;
  }

  /**
   * Bytes of rows given to one {@code process} at most; 1 or more, default 1 MiB. A single row that
   * is larger is given alone.
   */
  public void setProcessBytesMax(int bytes) {
    processBytesMax = (int) requireRange("processBytesMax", bytes, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessAttemptsMax}. */
  public int processAttemptsMax() {
    return processAttemptsMax;
  }

  /**
   * How often the same input is given to a processor that throws, in all; default without a limit
   * but {@link #setProcessRetryInMillis}.
   */
  public void setProcessAttemptsMax(int attempts) {
    processAttemptsMax = (int) requireRange("processAttemptsMax", attempts, 1, Integer.MAX_VALUE);
  }

  /** See {@link #setProcessRetryInMillis}. */
  public long processRetryInMillis() {
    return processRetryInMillis;
  }

  /**
   * How long after its first failure the same input is given again to a processor that throws; at
   * least 0, default 600,000 (ten minutes). The pauses grow from 100 ms up to {@link
   * #setProcessPauseMaxInMillis}. Then the channel stops until an operator resumes it, unless
   * {@link #setSkipAfterRetries}. Other channels go on meanwhile, and a shutdown or a move does not
   * wait for the end of a pause. While it lasts, {@link TunnelWorker#status}, the listener and the
   * description of the tunnel say that the channel is retried.
   */
  public void setProcessRetryInMillis(long millis) {
    processRetryInMillis = requireRange("processRetryInMillis", millis, 0, 604_800_000);
  }

  /** See {@link #setProcessPauseMaxInMillis}. */
  public int processPauseMaxInMillis() {
    return processPauseMaxInMillis;
  }

  /** The longest pause between two attempts to process an input; 1 to an hour, default 30,000. */
  public void setProcessPauseMaxInMillis(int millis) {
    processPauseMaxInMillis = (int) requireRange("processPauseMaxInMillis", millis, 1, 3_600_000);
  }

  /** See {@link #setSkipAfterRetries}. */
  public boolean skipsAfterRetries() {
    return skipAfterRetries;
  }

  /**
   * Whether a change that still fails when it was retried long or often enough is left out, as
   * {@link FailurePolicy.Skip} says, instead of stopping its channel; default false. An input is
   * retried for that long first, and then the single change that fails.
   */
  public void setSkipAfterRetries(boolean skips) {
    skipAfterRetries = skips;
  }

  /** See {@link #setSkippedFailures}. */
  public List<Class<? extends Throwable>> skippedFailures() {
    return skippedFailures;
  }

  /**
   * A change at which the processor fails with one of these types, thrown or as a cause of what is
   * thrown, is left out without any retry, as {@link FailurePolicy.Skip} says; default none.
   */
  public void setSkippedFailures(List<Class<? extends Throwable>> types) {
    skippedFailures = List.copyOf(types);
  }

  /** Whether {@link #setSkippedFailures} has the type of that error or of one of its causes. */
  public Predicate<Throwable> isSkippedFailure() {
    List<Class<? extends Throwable>> types = skippedFailures;
    return error -> FailedRecordException.isCausedBy(error, types);
  }

  /** See {@link #setMaxRetryIntervalInMillis}. */
  public int getMaxRetryIntervalInMillis() {
    return maxRetryIntervalInMillis;
  }

  /** The longest pause between two attempts to connect; at least 1, default 2000. */
  public void setMaxRetryIntervalInMillis(int millis) {
    maxRetryIntervalInMillis = (int) requireRange("maxRetryIntervalInMillis", millis, 1, 3_600_000);
  }

  /** See {@link #setShutdownDeadlineInMillis}. */
  public long shutdownDeadlineInMillis() {
    return shutdownDeadlineInMillis;
  }

  /** How long {@link TunnelWorker#shutdown} waits for processors; at least 0, default 30,000. */
  public void setShutdownDeadlineInMillis(long millis) {
    shutdownDeadlineInMillis = requireRange("shutdownDeadlineInMillis", millis, 0, 86_400_000);
  }

  /** What decides when a processor throws; absent for the default. */
  public Optional<FailurePolicy> failurePolicy() {
    return Optional.ofNullable(failurePolicy);
  }

  /**
   * Decides when a processor throws; null, the default, for what {@link #setProcessRetryInMillis},
   * {@link #setProcessAttemptsMax}, {@link #setSkippedFailures} and {@link #setSkipAfterRetries}
   * say, which a policy takes the place of.
   */
  public void setFailurePolicy(FailurePolicy policy) {
    failurePolicy = policy;
  }

  /** What hears what the worker does. */
  public Optional<ITunnelWorkerListener> listener() {
    return Optional.ofNullable(listener);
  }

  /** Hears what the worker does; null, the default, for nobody. */
  public void setListener(ITunnelWorkerListener hears) {
    listener = hears;
  }

  private static long requireRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + min + " to " + max + ", not " + value);
    }
    return value;
  }

  /** Collects options; each method is the setter of that name, which says what it means. */
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

    /** What the worker calls itself. */
    public Builder clientTag(String tag) {
      config.setClientTag(tag);
      return this;
    }

    /** How often progress is checkpointed. */
    public Builder checkpointIntervalInMillis(long millis) {
      config.setCheckpointIntervalInMillis(millis);
      return this;
    }

    /** Bytes delivered ahead per channel. */
    public Builder channelCreditBytes(int bytes) {
      config.setChannelCreditBytes(bytes);
      return this;
    }

    /** Bytes delivered ahead to all channels together. */
    public Builder bufferBytesMax(long bytes) {
      config.setBufferBytesMax(bytes);
      return this;
    }

    /** Decides when a processor throws. */
    public Builder failurePolicy(FailurePolicy policy) {
      config.setFailurePolicy(policy);
      return this;
    }

    /** Hears what the worker does. */
    public Builder listener(ITunnelWorkerListener listener) {
      config.setListener(listener);
      return this;
    }

    /** Threads that call processors at most. */
    public Builder processorThreads(int threads) {
      config.setProcessorThreads(threads);
      return this;
    }

    /** Channels held at most. */
    public Builder maxChannels(int channels) {
      config.setMaxChannels(channels);
      return this;
    }

    /** How long the session outlives silence. */
    public Builder heartbeatTimeoutInSec(long seconds) {
      config.setHeartbeatTimeoutInSec(seconds);
      return this;
    }

    /** How often the worker says that it lives. */
    public Builder heartbeatIntervalInSec(long seconds) {
      config.setHeartbeatIntervalInSec(seconds);
      return this;
    }

    /** Channels processed at the same time at most. */
    public Builder maxChannelParallel(int channels) {
      config.setMaxChannelParallel(channels);
      return this;
    }

    /** Rows given to one {@code process} at most. */
    public Builder processRowsMax(int rows) {
      config.setProcessRowsMax(rows);
      return this;
    }

    /** Bytes of rows given to one {@code process} at most. */
    public Builder processBytesMax(int bytes) {
      config.setProcessBytesMax(bytes);
      return this;
    }

    /** How often an input is tried in all. */
    public Builder processAttemptsMax(int attempts) {
      config.setProcessAttemptsMax(attempts);
      return this;
    }

    /** How long an input is tried again. */
    public Builder processRetryInMillis(long millis) {
      config.setProcessRetryInMillis(millis);
      return this;
    }

    /** The longest pause between two attempts to process an input. */
    public Builder processPauseMaxInMillis(int millis) {
      config.setProcessPauseMaxInMillis(millis);
      return this;
    }

    /** Leaves out what still fails when it was retried long or often enough. */
    public Builder skipAfterRetries(boolean skips) {
      config.setSkipAfterRetries(skips);
      return this;
    }

    /** Types of failure whose change is left out at once. */
    public Builder skippedFailures(List<Class<? extends Throwable>> types) {
      config.setSkippedFailures(types);
      return this;
    }

    /** The longest pause between two attempts to connect. */
    public Builder maxRetryIntervalInMillis(int millis) {
      config.setMaxRetryIntervalInMillis(millis);
      return this;
    }

    /** How long a shutdown waits for processors. */
    public Builder shutdownDeadlineInMillis(long millis) {
      config.setShutdownDeadlineInMillis(millis);
      return this;
    }

    /** The configuration; the builder must not be used any more. */
    public TunnelWorkerConfig build() {
      return config;
    }
  }
}
