package io.tunnel.sdk.worker.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.worker.channel.Ending.Farewell;

/** Channels of a worker in common states, and common sequences of calls. */
final class RunningChannel {

  static final ChannelLimits LIMITS = new ChannelLimits(50, 600, 100);
  static final ChannelLimits MANUAL = new ChannelLimits(50, 600, 0);
  private static final int CREDIT_BYTES = 1_000;

  private RunningChannel() {}

  /** A running channel with some credit. */
  static WorkerChannelCore running(ChannelLimits limits, long checkpointed) {
    WorkerChannelCore core = new WorkerChannelCore(limits, checkpointed);
    core.opening();
    assertThat(core.opened(0)).isTrue();
    core.granted(CREDIT_BYTES);
    return core;
  }

  /** Tells the processor of the end, with this callback. */
  static void tell(WorkerChannelCore core, Farewell farewell) {
    assertThat(core.next(0)).isEqualTo(ChannelAction.TELL);
    assertThat(core.farewell()).isEqualTo(farewell);
    assertThat(core.next(0)).as("waits until the processor was told").isEqualTo(ChannelAction.WAIT);
    core.told();
  }

  /** Delivers and processes changes up to a position. */
  static void processTo(WorkerChannelCore core, long last) {
    core.delivered(core.received() + 1, last, 1, 10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.PROCESS);
    core.begin();
    core.processingDone();
  }
}
