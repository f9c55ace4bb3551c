package io.tunnel.sdk.worker;

/** What a session tells the worker that opened it. Called on the worker's thread. */
interface SessionOwner {

  /** The session is open. */
  void opened(WorkerSession session);

  /** The server has shown that the session is in good health. */
  void healthy();

  /** The session was not opened, or is no more. Called once. */
  void over(WorkerSession session, Throwable reason);

  /** A channel was assigned: open it when its turn has come. */
  void assigned(ChannelRunner channel);

  /** A channel can be delivered to: it needs credit. */
  void opened(ChannelRunner channel);

  /** A channel has processed something, which took that much credit; 0 when it ends. */
  void processed(ChannelRunner channel, int bytes);

  /** A channel is over. */
  void closed(ChannelRunner channel);

  /** A checkpoint was stored. */
  void checkpointStored();

  /** Something that the status should say, and the log says already. */
  void noted(String what, Throwable reason);

  /** Something somebody should see. */
  void troubled(String what, Throwable reason);
}
