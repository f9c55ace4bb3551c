package io.tunnel.sdk.worker.channel;

/** Actions of a channel that {@link WorkerChannelCore} decides. */
public enum ChannelAction {
  /** Wait for the next event, or for {@link WorkerChannelCore#checkpointDueNanos}. */
  WAIT,
  /** Call {@link WorkerChannelCore#begin} and process the returned number of deliveries. */
  PROCESS,
  /** Call the processor with {@link WorkerChannelCore#farewell}. */
  TELL,
  /** Store the position of {@link WorkerChannelCore#beginCheckpoint}. */
  CHECKPOINT,
  /** Shut the processor down. */
  STOP_PROCESSOR,
  /** Give the channel back. */
  RELEASE,
  /** Give the channel back, to wait for an operator. */
  STOP_CHANNEL,
  /** Forget the channel. */
  CLOSE
}
