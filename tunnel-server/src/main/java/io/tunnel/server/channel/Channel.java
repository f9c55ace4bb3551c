package io.tunnel.server.channel;

/** An attached channel. The connection's thread calls all methods, except where noted. */
public interface Channel {

  /**
   * The start of a channel.
   *
   * @param handle name of the channel on the connection
   * @param checkpointed delivery starts after this position
   */
  record Start(int handle, long epoch, int partition, long checkpointed) {}

  /** Begins to deliver. */
  void start();

  /** The epoch of the session's holding. */
  long epoch();

  /** Position up to which the client has every change; any thread. */
  long delivered();

  /**
   * Ends the channel after {@code position}, which is a batch's end or lies between two batches:
   * the channel delivers nothing after it, and notifies the worker when the worker has all changes
   * up to it. A channel that has delivered more, or has another end, fails. Any thread.
   *
   * @throws IllegalStateException for a base channel, which ends with its rows
   */
  void endAt(long position);

  /** The worker accepts {@code bytes} more. */
  void credit(int bytes);

  /** The connection accepts data again. */
  void resume();

  /** Stops delivering for good. */
  void stop();
}
