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

/** A connection's reading of a partition, whose positions the reader keeps. */
final class MemoryReading {

  private static final int DELIVERY_BYTES_MAX = 256 * 1024;

  private final int handle;
  private final Peer peer;
  private final ReadPartition request;

  /** Whether it delivers only what matches, and says how far it has looked. */
  private final boolean isWatch;

  private final ChannelSource source;
  private Optional<Long> limit;
  private long delivered;
  private long credit;
  private boolean hasCredit;

  /** For rows, the position of the snapshot, until the reader was told. */
  private Optional<Long> rowsAt;

  private boolean hasEnded;

  /** A reading; of rows as of position {@code rowsAt}, or of changes. */
  MemoryReading(
      int handle,
      Peer peer,
      ReadPartition request,
      boolean isWatch,
      ChannelSource source,
      long rowsAt) {
    this.isWatch = isWatch;
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
   * Ends the reading at a position.
   *
   * @throws IllegalArgumentException for rows and watches, which take no end
   */
  void limit(long position) {
    if (isWatch) {
      throw new IllegalArgumentException("a watch takes no end, but has one at " + position);
    }
    if (request.type() == ChannelType.BaseData) {
      throw new IllegalArgumentException("reading rows takes no end, but has one at " + position);
    }
    limit = Optional.of(position);
  }

  /** Delivers as much as there is credit for, and then the end of the partition, if reached. */
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
    if (isUnder && isWatch && request.type() == ChannelType.Stream) {
      mark();
    }
    OptionalLong end = end();
    if (!hasEnded && end.isPresent() && delivered >= end.getAsLong()) {
      hasEnded = true;
      ChannelEnd told = new ChannelEnd(handle, PartitionControl.EPOCH, end.getAsLong());
      peer.push(Operation.END_OF_CHANNEL, told.encode());
    }
  }

  /** All that matches was delivered: says up to where that is. The server says it now and then. */
  private void mark() {
    long looked = source.committed(delivered);
    if (credit > 0 && looked > delivered) {
      delivered = looked;
      peer.push(Operation.SETTLED, new ChannelEnd(handle, PartitionControl.EPOCH, looked).encode());
    }
  }

  /** The end of the rows is found by looking for the next row. */
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

  /** Ends the delivery with a reason. */
  void lost(RefusedException reason) {
    peer.refuse(Operation.DELIVER.code(), handle, reason);
  }
}
