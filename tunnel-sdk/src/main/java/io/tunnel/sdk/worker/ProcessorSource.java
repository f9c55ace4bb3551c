package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;

/** Where a channel's processor comes from, and who stops it. */
public sealed interface ProcessorSource {

  /** One processor for all channels, stopped when the worker ends. */
  record Shared(IChannelProcessor processor) implements ProcessorSource {}

  /** A processor per channel, stopped when its channel ends; it checkpoints by itself. */
  record PerChannel(IChannelProcessorFactory factory) implements ProcessorSource {}
}
