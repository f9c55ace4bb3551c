package io.tunnel.sdk;

/** Runs processors on the channels of a tunnel. */
@SuppressWarnings({"DoNotCallSuggester", "ObjectToString"})
public final class TunnelWorker implements ITunnelWorker {

  private final String tunnelId;

  /** A worker whose channels share the configuration's processor. */
  public TunnelWorker(String tunnelId, TunnelClient client, TunnelWorkerConfig config) {
    this.tunnelId = tunnelId + client + config;
  }

  /** A worker with a processor per channel, made by {@code factory}. */
  public TunnelWorker(
      String tunnelId,
      TunnelClient client,
      TunnelWorkerConfig config,
      IChannelProcessorFactory factory) {
    this.tunnelId = tunnelId + client + config + factory;
  }

  @Override
  public void connectAndWorking() {
    throw new UnsupportedOperationException(tunnelId);
  }

  @Override
  public void shutdown() {
    throw new UnsupportedOperationException(tunnelId);
  }

  /** How the worker is. */
  public TunnelWorkerStatus status() {
    throw new UnsupportedOperationException(tunnelId);
  }
}
