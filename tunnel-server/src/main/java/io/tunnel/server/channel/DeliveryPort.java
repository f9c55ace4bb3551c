package io.tunnel.server.channel;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;

/** The connection that a channel delivers to. */
public interface DeliveryPort {

  /** Whether the connection accepts data without buffering much; for its own thread. */
  boolean isWritable();

  /**
   * Reserves space for a page of rows that another thread is about to read, until {@link
   * #pageOver}; false, and no read, without space.
   *
   * @param again runs once on the connection's thread when there is space, unless {@link
   *     Channel#resume} is called then; one object for all pages of a channel
   */
  boolean promisePage(Runnable again);

  /** Frees the reserved space: the page was delivered, or never will be. */
  void pageOver();

  /** Runs {@code action} on the connection's own thread, soon. */
  void execute(Runnable action);

  /** Runs {@code action} on the connection's own thread after {@code nanos}. */
  void after(long nanos, Runnable action);

  /**
   * Reads the batches and sends them as one delivery.
   *
   * @return bytes of the delivery's payload
   * @throws RefusedException CORRUPT when a checksum does not match; nothing was sent
   */
  int deliver(int handle, long epoch, long firstPosition, Extents batches) throws IOException;

  /**
   * Sends batches as one delivery.
   *
   * @param batches one after the other
   * @param rows how many rows they have
   * @return bytes of the delivery's payload
   */
  int deliver(int handle, long epoch, long firstPosition, byte[] batches, long rows);

  /** Counts rows that were looked at for the reader, and not delivered, as its quota does. */
  void charge(int handle, long rows, long bytes);

  /** Tells the reader that the channel has ended. */
  void end(ChannelEnd end);

  /** Tells the reader that no change follows the delivered ones up to this position. */
  void settled(ChannelEnd upTo);

  /** Tells the reader that the channel cannot continue. */
  void fail(int handle, RefusedException reason);
}
