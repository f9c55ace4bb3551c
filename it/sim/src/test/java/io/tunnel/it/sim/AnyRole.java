package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.ProcessorTruth;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.worker.ProcessorSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A worker with a random role: it leaves checkpoints to the SDK, or its processors report finished
 * inputs in random order, and the rest when they are closed; it stops at failed inputs, or skips
 * them.
 */
final class AnyRole implements SimWorker.Role {

  private static final int SKIPPED_AFTER_MAX = 2;
  private static final long DONE_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);
  private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

  private final World world;
  private final boolean isGreedy;
  private final boolean isSkipping;
  private final int skippedAfter;
  private final boolean isManual;
  private final SplittableRandom random;
  private final Map<String, ByHand> byHand = new TreeMap<>();

  /** One channel whose processor checkpoints by itself: what it has not said to be done. */
  private static final class ByHand {
    private final ICheckpointer checkpointer;
    private final List<ProcessRecordsInput> undone = new ArrayList<>();

    ByHand(ICheckpointer checkpointer) {
      this.checkpointer = checkpointer;
    }
  }

  AnyRole(World world, boolean isGreedy, SplittableRandom random) {
    this.world = world;
    this.isGreedy = isGreedy;
    this.random = random;
    this.isManual = random.nextInt(5) == 0;
    this.isSkipping = random.nextInt(3) == 0;
    this.skippedAfter = 1 + random.nextInt(SKIPPED_AFTER_MAX);
  }

  @Override
  public int threads(SplittableRandom own) {
    return 1 + own.nextInt(3);
  }

  @Override
  public TunnelWorkerConfig config(SplittableRandom own) {
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    config.setHeartbeatTimeoutInSec(3 + own.nextInt(4));
    config.setHeartbeatIntervalInSec(1);
    config.setCheckpointIntervalInMillis(50 + own.nextInt(1_500));
    config.setMaxChannels(!isGreedy && own.nextInt(6) == 0 ? 1 + own.nextInt(2) : 0);
    config.setChannelCreditBytes(world.settings.creditBytes());
    config.setProcessRowsMax(1 + own.nextInt(20));
    config.setMaxRetryIntervalInMillis(500);
    config.setProcessAttemptsMax(3);
    config.setProcessPauseMaxInMillis(500);
    if (isSkipping) {
      config.setFailurePolicy(this::decide);
    }
    return config;
  }

  private FailurePolicy.Decision decide(ProcessRecordsInput input, Throwable error, int attempts) {
    if (attempts < skippedAfter) {
      return new FailurePolicy.Retry(RETRY_PAUSE);
    }
    if (ProcessorTruth.isUndivided(input.getRecords())) {
      world.ledger.processors.skip(input);
    }
    return new FailurePolicy.Skip();
  }

  @Override
  public ProcessorSource source(IChannelProcessor processor) {
    if (!isManual) {
      return new ProcessorSource.Shared(processor);
    }
    return new ProcessorSource.PerChannel(
        (tunnelId, session, channelId, checkpointer) -> {
          byHand.put(channelId, new ByHand(checkpointer));
          return processor;
        });
  }

  @Override
  public SimWorker.Callback begin(SimWorker worker, ProcessRecordsInput input) {
    SimWorker.Callback callback = world.begin(worker, input);
    ByHand channel = byHand.get(input.getChannelId());
    if (channel == null || callback.isFailing()) {
      return callback;
    }
    return new SimWorker.Callback(
        callback.nanos(),
        false,
        () -> {
          callback.atEnd().run();
          channel.undone.add(input);
          worker
              .process()
              .thread("program")
              .after(random.nextLong(DONE_NANOS_MAX), () -> done(channel, input));
        });
  }

  private void done(ByHand channel, ProcessRecordsInput input) {
    if (channel.undone.remove(input)) {
      var unused =
          channel
              .checkpointer
              .checkpointAsync(input.getNextToken())
              .thenRun(() -> world.count(Happening.CHECKPOINTED_BY_HAND));
    }
  }

  @Override
  public void told(SimWorker worker, String callback, String channelId) {
    ByHand channel = byHand.get(channelId);
    if (channel == null) {
      return;
    }
    if (callback.equals("revoked")) {
      channel.undone.clear();
    }
    while (!channel.undone.isEmpty()) {
      done(channel, channel.undone.get(random.nextInt(channel.undone.size())));
    }
  }
}
