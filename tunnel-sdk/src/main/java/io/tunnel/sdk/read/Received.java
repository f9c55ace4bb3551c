package io.tunnel.sdk.read;

import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.Delivery;
import java.util.Optional;

/**
 * Something of a partition, as it came.
 *
 * @param feed which reading of the partition it belongs to
 * @param start what was asked for
 * @param delivery changes or rows; none at the end
 * @param bytes that it takes from the partition's credit
 * @param rowsAt of rows, and of their end: they have all changes up to this position and none
 *     behind it, if the service said so
 * @param incarnation of the changes, and of {@code rowsAt}, if the service said so
 */
public record Received(
    long feed,
    ReadStart start,
    Optional<Delivery> delivery,
    int bytes,
    Optional<Long> rowsAt,
    Optional<Long> incarnation) {

  /** Whether nothing comes behind it. */
  public boolean isEnd() {
    return delivery.isEmpty();
  }
}
