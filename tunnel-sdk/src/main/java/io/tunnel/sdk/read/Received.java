package io.tunnel.sdk.read;

import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.Delivery;
import java.util.Optional;

/**
 * A received delivery of a partition, or its end.
 *
 * @param feed number of the feed that received the delivery
 * @param start start position of the feed
 * @param delivery changes or rows; empty at the end of the partition
 * @param bytes credit that the delivery holds until its release
 * @param rowsAt in rows and at their end: the rows include the changes up to this position, and no
 *     later changes; empty if the server does not know the position
 * @param incarnation incarnation of the changes and of {@code rowsAt}, if the server knows it
 */
public record Received(
    long feed,
    ReadStart start,
    Optional<Delivery> delivery,
    int bytes,
    Optional<Long> rowsAt,
    Optional<Long> incarnation) {

  /** True at the end of the partition. */
  public boolean isEnd() {
    return delivery.isEmpty();
  }
}
