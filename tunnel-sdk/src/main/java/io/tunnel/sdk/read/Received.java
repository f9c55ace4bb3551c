package io.tunnel.sdk.read;

import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.Delivery;
import java.util.Optional;

/**
 * A received delivery of a partition, or its end.
 *
 * @param feed number of the feed that received the delivery
 * @param start start position of the feed
 * @param delivery changes or rows; empty at the end of the partition, and with {@code settled}
 * @param bytes credit that the delivery holds until its release
 * @param rowsAt in rows and at their end: the rows include the changes up to this position, and no
 *     later changes; empty if the server does not know the position
 * @param incarnation incarnation of the changes and of the positions, if the server knows it
 * @param settled in a watch: there is no further change up to this position; without a delivery
 */
public record Received(
    long feed,
    ReadStart start,
    Optional<Delivery> delivery,
    int bytes,
    Optional<Long> rowsAt,
    Optional<Long> incarnation,
    Optional<Long> settled) {

  /** Whether this only says what {@code newer}, which comes next, says as well. */
  boolean isOutdatedBy(Received newer) {
    return settled.isPresent() && newer.settled.isPresent() && feed == newer.feed;
  }

  /** True at the end of the partition. */
  public boolean isEnd() {
    return delivery.isEmpty() && settled.isEmpty();
  }
}
