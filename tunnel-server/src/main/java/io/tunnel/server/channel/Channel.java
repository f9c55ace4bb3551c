package io.tunnel.server.channel;

/**
 * One channel while somebody is attached to it. Methods are for the connection's thread, but for
 * those that say otherwise.
 */
public interface Channel {

  /**
   * Where a channel starts, and under which epoch.
   *
   * @param handle its name on the connection
   * @param checkpointed delivery starts behind this position
   */
  record Start(int handle, long epoch, int partition, long checkpointed) {}

  /** Begins to look for something to deliver. */
  void start();

  /** The epoch under which it is held. */
  long epoch();

  /** Position up to which the client has every change, as it was told; readable by any thread. */
  long delivered();

  /**
   * The channel ends behind {@code position}, where a batch ends or between two: nothing behind it
   * is delivered, and the worker is told when it has everything up to there. A channel that has
   * delivered more, or has another end, fails. May be called by any thread.
   *
   * @throws IllegalStateException for a base channel, which ends where its rows do
   */
  void endAt(long position);

  /** The worker accepts {@code bytes} more. */
  void credit(int bytes);

  /** The connection takes more again. */
  void resume();

  /** Delivers nothing any more. */
  void stop();
}
