package io.tunnel.sdk.worker.channel;

/** What a channel does next, as {@link WorkerChannelCore} decides. */
public enum ChannelAction {
  /** Wait for the next event, or for {@link WorkerChannelCore#checkpointDueNanos}. */
  WAIT,
  /** Call {@link WorkerChannelCore#begin} and process that many deliveries. */
  PROCESS,
  /** Tell the processor {@link WorkerChannelCore#farewell}. */
  TELL,
  /** Store {@link WorkerChannelCore#beginCheckpoint}'s position. */
  CHECKPOINT,
  /** Stop the processor. */
  STOP_PROCESSOR,
  /** Give the channel back. */
  RELEASE,
  /** Give the channel back to wait for an operator. */
  STOP_CHANNEL,
  /** Forget it. */
  CLOSE
}
