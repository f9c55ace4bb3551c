package io.tunnel.server.channel;

import io.tunnel.model.Bytes;
import java.util.OptionalLong;

/**
 * One channel while one session holds it. Methods are for the connection's thread, but for those
 * that say otherwise.
 */
public interface Channel {

  /**
   * What a channel is for.
   *
   * @param handle its name on the connection
   * @param checkpointed delivery starts behind this position
   */
  record Hold(int handle, long epoch, int partition, long checkpointed) {}

  /** Begins to look for something to deliver. */
  void start();

  /** The epoch under which the session holds it. */
  long epoch();

  /** Position of the last change delivered; readable by any thread. */
  long delivered();

  /** The position behind which the channel ends, once that is known; readable by any thread. */
  OptionalLong end();

  /**
   * The channel ends behind {@code position}, where a batch ends or between two: nothing behind it
   * is delivered, and the worker is told when it has everything up to there. A channel that has
   * delivered more, or has another end, fails. May be called by any thread.
   *
   * @throws IllegalStateException for a base channel, which ends where its rows do
   */
  void endAt(long position);

  /**
   * What has to be stored so that a later holder goes on behind {@code position}, which was
   * delivered. The position in it may be lower, when the channel cannot go on in the middle of what
   * it delivered at once. May be called by any thread.
   */
  Resume resumeAt(long position);

  /**
   * Where a channel goes on.
   *
   * @param position everything up to here was processed
   * @param key of a base channel, the encoded key of the row at that position; otherwise empty
   */
  record Resume(long position, Bytes key) {}

  /** The worker accepts {@code bytes} more. */
  void credit(int bytes);

  /** The connection takes more again. */
  void resume();

  /** Delivers nothing any more. */
  void stop();
}
