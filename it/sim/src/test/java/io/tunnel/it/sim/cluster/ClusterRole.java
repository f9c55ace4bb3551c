package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A worker as chance makes it: its processor tells the truth, and is slow when that is allowed. */
final class ClusterRole implements SimWorker.Role {

  private static final int SLOW_ONE_IN = 40;
  private static final int FAILING_ONE_IN = 60;

  private final ClusterWorld world;
  private final boolean isGreedy;

  /** A greedy one takes any number of channels, others may take less. */
  ClusterRole(ClusterWorld world, boolean isGreedy) {
    this.world = world;
    this.isGreedy = isGreedy;
  }

  @Override
  public int threads(SplittableRandom random) {
    return 1 + random.nextInt(3);
  }

  @Override
  public TunnelWorkerConfig config(SplittableRandom random) {
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    config.setHeartbeatTimeoutInSec(5 + random.nextInt(4));
    config.setHeartbeatIntervalInSec(1);
    config.setCheckpointIntervalInMillis(50 + random.nextInt(1_500));
    config.setMaxChannels(!isGreedy && random.nextInt(6) == 0 ? 1 + random.nextInt(2) : 0);
    config.setChannelCreditBytes(300 + random.nextInt(2_000));
    config.setProcessRowsMax(1 + random.nextInt(20));
    config.setMaxRetryIntervalInMillis(500);
    config.setProcessAttemptsMax(3);
    config.setProcessPauseMaxInMillis(500);
    return config;
  }

  @Override
  public SimWorker.Callback begin(SimWorker worker, ProcessRecordsInput input) {
    boolean isFailing = world.random.nextInt(FAILING_ONE_IN) == 0;
    boolean isSlow = world.random.nextInt(SLOW_ONE_IN) == 0;
    long nanos =
        isSlow
            ? TimeUnit.MILLISECONDS.toNanos(world.random.nextInt(1_000))
            : world.random.nextLong(2_000_000);
    Runnable end = world.truth.begin(input, isFailing);
    return new SimWorker.Callback(nanos, isFailing, () -> world.watch(end));
  }
}
