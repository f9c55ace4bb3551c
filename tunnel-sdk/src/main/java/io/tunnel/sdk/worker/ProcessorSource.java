package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;

/** The source of processors: a shared processor, or a factory. */
public sealed interface ProcessorSource {

  /** One processor for all channels; the worker shuts it down at its end. */
  record Shared(IChannelProcessor processor) implements ProcessorSource {}

  /**
   * A processor for each channel, which checkpoints by itself and is shut down with its channel.
   */
  record PerChannel(IChannelProcessorFactory factory) implements ProcessorSource {}
}
