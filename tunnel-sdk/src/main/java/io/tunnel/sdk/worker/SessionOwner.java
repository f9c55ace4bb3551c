package io.tunnel.sdk.worker;

/** What a session and its channels report to the worker. Called on the worker's thread. */
interface SessionOwner {

  /** The session is open. */
  void opened(WorkerSession session);

  /** The server works: it has answered a heartbeat or stored a checkpoint. */
  void healthy();

  /** The session could not be opened, or has ended. Called once. */
  void over(WorkerSession session, Throwable reason);

  /** The server has assigned a channel. */
  void assigned(ChannelRunner channel);

  /** A channel has ended. */
  void closed(ChannelRunner channel);
}
