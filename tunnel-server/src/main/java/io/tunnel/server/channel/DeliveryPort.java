package io.tunnel.server.channel;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;

/** The connection that a channel delivers to. */
public interface DeliveryPort {

  /** Whether the connection takes more without piling it up in memory; asked on its own thread. */
  boolean isWritable();

  /**
   * Promises room for a page of rows that another thread is about to read; until {@link #pageOver},
   * also when there is no page. Without room nothing is read.
   *
   * @param again run when there is room, once, on the connection's thread, unless {@link
   *     Channel#resume} is called then; the same object for all pages of a channel
   */
  boolean promisePage(Runnable again);

  /** A page that room was promised for was delivered, or will never be. */
  void pageOver();

  /** Runs {@code action} on the connection's own thread, soon. */
  void execute(Runnable action);

  /** Runs {@code action} on the connection's own thread after that time. */
  void after(long nanos, Runnable action);

  /**
   * Reads the batches and sends them as one delivery.
   *
   * @return bytes of the delivery's payload
   * @throws RefusedException CORRUPT when they cannot be trusted; nothing was sent
   */
  int deliver(int handle, long epoch, long firstPosition, Extents batches) throws IOException;

  /**
   * Sends a batch as one delivery.
   *
   * @return bytes of the delivery's payload
   */
  int deliver(int handle, long epoch, long firstPosition, byte[] batch);

  /** Says that nothing more will be delivered, behind what was. */
  void end(ChannelEnd end);

  /** Says that no change follows what was delivered, up to that position. */
  void settled(ChannelEnd upTo);

  /** Says that the channel cannot go on. */
  void fail(int handle, RefusedException reason);
}
