package io.tunnel.sdk;

/** Runs processors on the channels of a tunnel. */
public interface ITunnelWorker {

  /** Opens a session and starts to process. */
  void connectAndWorking();

  /** Ends the worker gracefully. */
  void shutdown();
}
