package io.tunnel.sdk.checkpoint;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.Optional;

/**
 * The progress of a channel, in a form to keep and import later.
 *
 * @param partition the id of the channel's partition
 * @param type rows or changes
 * @param position the last processed change; for a base channel, the number of processed rows
 * @param key BaseData only: the {@linkplain io.tunnel.sdk.processor.StreamRecord#encodedKey encoded
 *     key} of the last row processed; empty before the first row
 * @param isFinished whether the channel was processed to its end
 * @param incarnation Stream only: the incarnation of the position, see {@link
 *     io.tunnel.model.KnownPosition}. When absent, an import cannot notice that the changes up to
 *     the position were lost and replaced
 */
public record ChannelPosition(
    int partition,
    ChannelType type,
    long position,
    Bytes key,
    boolean isFinished,
    Optional<Long> incarnation) {

  /** A position without an incarnation. */
  public ChannelPosition(
      int partition, ChannelType type, long position, Bytes key, boolean isFinished) {
    this(partition, type, position, key, isFinished, Optional.empty());
  }

  /**
   * Refuses positions under 0, and an incarnation under 1 or of rows. A key or an incarnation of
   * null counts as absent.
   */
  public ChannelPosition {
    Objects.requireNonNull(type, "type");
    key = key == null ? Bytes.EMPTY : key;
    incarnation = incarnation == null ? Optional.empty() : incarnation;
    if (position < 0) {
      throw new IllegalArgumentException("a position is at least 0, not " + position);
    }
    if (incarnation.isPresent() && (type != ChannelType.Stream || incarnation.get() < 1)) {
      throw new IllegalArgumentException(
          "positions of changes have an incarnation of at least 1; that of "
              + type
              + " is "
              + incarnation.get());
    }
  }
}
