package io.tunnel.it.sim;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.worker.ProcessorSource;
import io.tunnel.sdk.worker.WorkerLoop;
import io.tunnel.sdk.worker.WorkerPorts;
import io.tunnel.sdk.worker.WorkerSettings;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A process with one worker of the SDK in it, and a processor that reports to the ledger. */
final class SimWorker {

  private static final long SHUTDOWN_DEADLINE_MS = 5_000;
  private static final long INTERRUPT_MS = 1_000;

  private final World world;
  private final SimProcess process;
  private final String tunnelId;
  private final SimThreads threads;
  private final WorkerLoop loop;
  private boolean isLeaving;

  SimWorker(
      World world, SimProcess process, String tunnelId, SplittableRandom random, boolean isGreedy) {
    this.world = world;
    this.process = process;
    this.tunnelId = tunnelId;
    this.threads = new SimThreads(process, 1 + random.nextInt(3), this::exit);
    ClientConfig client =
        ClientConfig.of("simulated", 1)
            .withConnectDeadline(Duration.ofSeconds(2))
            .withRequestDeadline(Duration.ofSeconds(5))
            .withRetryDeadline(Duration.ofSeconds(20));
    WorkerSettings settings =
        WorkerSettings.of(tunnelId, client, config(world, random, isGreedy), true);
    loop =
        new WorkerLoop(
            settings,
            new ProcessorSource.Shared(new Processor()),
            new WorkerPorts(
                threads.new Own(),
                receiver ->
                    SimClient.connect(world.network, process.name, threads.loop(), receiver),
                threads,
                world.agenda::nowNanos,
                random));
  }

  private TunnelWorkerConfig config(World world, SplittableRandom random, boolean isGreedy) {
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    config.setClientTag(process.name);
    config.setHeartbeatTimeoutInSec(3 + random.nextInt(4));
    config.setHeartbeatIntervalInSec(1);
    config.setCheckpointIntervalInMillis(50 + random.nextInt(1_500));
    config.setMaxChannels(!isGreedy && random.nextInt(6) == 0 ? 1 + random.nextInt(2) : 0);
    config.setChannelCreditBytes(world.settings.creditBytes());
    config.setProcessRowsMax(1 + random.nextInt(20));
    config.setMaxRetryIntervalInMillis(500);
    config.setShutdownDeadlineInMillis(SHUTDOWN_DEADLINE_MS);
    return config;
  }

  void start() {
    var unused =
        loop.start()
            .whenComplete(
                (opened, failure) -> world.trace.add(process + " has started: " + failure));
  }

  SimProcess process() {
    return process;
  }

  String tunnelId() {
    return tunnelId;
  }

  boolean isLeaving() {
    return isLeaving;
  }

  /** Ends as a program does that is asked to. */
  void leave() {
    isLeaving = true;
    var unused = loop.shutdown();
    long deadline = TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_DEADLINE_MS);
    threads.loop().thread().after(deadline, loop::abandon);
    long last = deadline + TimeUnit.MILLISECONDS.toNanos(INTERRUPT_MS);
    threads.loop().thread().after(last, this::exit);
  }

  private void exit() {
    world.exited(this);
  }

  @Override
  public String toString() {
    return process.name;
  }

  /** What the user wrote: it looks at everything, and is slow or fails as the world says. */
  private final class Processor implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      Callback callback = world.begin(SimWorker.this, input);
      threads.takes(callback.nanos(), callback.atEnd());
      if (callback.isFailing()) {
        throw new IllegalStateException("a processor fails, as it was told");
      }
    }

    @Override
    public void shutdown() {
      world.trace.add(process + " shuts its processor down");
    }
  }

  /** What a callback does: takes its time, and ends well or not. */
  record Callback(long nanos, boolean isFailing, Runnable atEnd) {}
}
