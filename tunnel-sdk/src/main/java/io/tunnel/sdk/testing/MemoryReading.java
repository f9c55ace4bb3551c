package io.tunnel.sdk.testing;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.table.ChannelSource;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.Optional;
import java.util.OptionalLong;

/** A partition that a connection reads, whose positions its reader keeps. */
final class MemoryReading {

  private static final int DELIVERY_BYTES_MAX = 256 * 1024;

  private final int handle;
  private final Peer peer;
  private final ReadPartition request;
  private final ChannelSource source;
  private Optional<Long> limit;
  private long delivered;
  private long credit;
  private boolean hasCredit;

  /** Of rows, at which position they are read, until their reader was told. */
  private Optional<Long> rowsAt;

  private boolean hasEnded;

  /** A reading whose rows, if it is one of rows, are those at position {@code rowsAt}. */
  MemoryReading(int handle, Peer peer, ReadPartition request, ChannelSource source, long rowsAt) {
    this.handle = handle;
    this.peer = peer;
    this.request = request;
    this.source = source;
    this.limit = request.end();
    this.delivered = request.position();
    this.rowsAt = request.type() == ChannelType.BaseData ? Optional.of(rowsAt) : Optional.empty();
  }

  Peer peer() {
    return peer;
  }

  int partition() {
    return request.partition();
  }

  void credit(int bytes) {
    hasCredit = true;
    credit += bytes;
  }

  /**
   * Nothing is wanted behind that position.
   *
   * @throws IllegalArgumentException for rows, which end where they end
   */
  void limit(long position) {
    if (request.type() == ChannelType.BaseData) {
      throw new IllegalArgumentException("rows end where they end, not at " + position);
    }
    limit = Optional.of(position);
  }

  /** Delivers what there is credit for; then says that nothing more will come, if so. */
  void pump() {
    boolean isUnder = credit > 0;
    if (hasCredit && rowsAt.isPresent()) {
      ChannelEnd told = new ChannelEnd(handle, PartitionControl.EPOCH, rowsAt.get());
      peer.push(Operation.SETTLED, told.encode());
      rowsAt = Optional.empty();
    }
    while (isUnder) {
      Optional<ChangeBatch> next =
          source
              .next(delivered, (int) Math.min(credit, DELIVERY_BYTES_MAX))
              .filter(batch -> batch.basePosition() <= limit.orElse(Long.MAX_VALUE));
      next.ifPresent(this::deliver);
      isUnder = next.isPresent() && credit > 0;
    }
    OptionalLong end = end();
    if (!hasEnded && end.isPresent() && delivered >= end.getAsLong()) {
      hasEnded = true;
      ChannelEnd told = new ChannelEnd(handle, PartitionControl.EPOCH, end.getAsLong());
      peer.push(Operation.END_OF_CHANNEL, told.encode());
    }
  }

  /** That there are no more rows is found by looking for them. */
  private OptionalLong end() {
    if (request.type() == ChannelType.BaseData) {
      return hasCredit ? source.end() : OptionalLong.empty();
    }
    return limit.isPresent() ? OptionalLong.of(limit.get()) : OptionalLong.empty();
  }

  private void deliver(ChangeBatch batch) {
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.byteCount()];
    Delivery.writePrefix(payload, 0, handle, PartitionControl.EPOCH, delivered + 1);
    System.arraycopy(
        batch.array(), batch.offset(), payload, Delivery.PREFIX_BYTES, batch.byteCount());
    delivered = batch.lastPosition();
    credit -= payload.length;
    peer.push(Operation.DELIVER, payload);
  }

  /** It cannot be delivered any further. */
  void lost(RefusedException reason) {
    peer.refuse(Operation.DELIVER.code(), handle, reason);
  }
}
