package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The connection of a reader that was told an incarnation. It delivers no change of a later
 * incarnation: the reader would take the change's position for one of the incarnation it knows, and
 * be refused with it. Instead the reader is told to attach again, and learns the later incarnation
 * then.
 */
record IncarnatedPort(DeliveryPort connection, Optional<Long> told, Supplier<Optional<Long>> newest)
    implements DeliveryPort {

  /** A port for deliveries that belong to no incarnation. */
  static IncarnatedPort ofNone(DeliveryPort connection) {
    return new IncarnatedPort(connection, Optional.empty(), Optional::empty);
  }

  private void requireTold() {
    if (!newest.get().equals(told)) {
      throw new RefusedException(
          ErrorCode.BUSY, "the log of the partition has a new leader; read on after what came");
    }
  }

  @Override
  public boolean isWritable() {
    return connection.isWritable();
  }

  @Override
  public boolean promisePage(Runnable again) {
    return connection.promisePage(again);
  }

  @Override
  public void pageOver() {
    connection.pageOver();
  }

  @Override
  public void execute(Runnable action) {
    connection.execute(action);
  }

  @Override
  public void after(long nanos, Runnable action) {
    connection.after(nanos, action);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, Extents batches)
      throws IOException {
    requireTold();
    return connection.deliver(handle, epoch, firstPosition, batches);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, byte[] batches, long rows) {
    requireTold();
    return connection.deliver(handle, epoch, firstPosition, batches, rows);
  }

  @Override
  public void charge(int handle, long rows, long bytes) {
    connection.charge(handle, rows, bytes);
  }

  @Override
  public void end(ChannelEnd end) {
    connection.end(end);
  }

  @Override
  public void settled(ChannelEnd upTo) {
    requireTold();
    connection.settled(upTo);
  }

  @Override
  public void fail(int handle, RefusedException reason) {
    connection.fail(handle, reason);
  }
}
