package io.tunnel.sdk.checkpoint;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.Optional;

/**
 * How far a channel is, in a form that can be kept and brought back.
 *
 * @param partition the id of the partition that it carries
 * @param type rows or changes
 * @param position every change up to it was processed; of a base channel, how many rows were
 * @param key BaseData only: the {@linkplain io.tunnel.sdk.processor.StreamRecord#encodedKey encoded
 *     key} of the last row processed; empty before the first
 * @param isFinished whether everything was processed, and nothing more comes
 * @param incarnation Stream only: of the position, as {@link io.tunnel.model.KnownPosition} has it;
 *     absent when it is not known, and nobody notices then that the changes up to the position were
 *     lost and others have taken their place
 */
public record ChannelPosition(
    int partition,
    ChannelType type,
    long position,
    Bytes key,
    boolean isFinished,
    Optional<Long> incarnation) {

  /** A position whose incarnation is not known. */
  public ChannelPosition(
      int partition, ChannelType type, long position, Bytes key, boolean isFinished) {
    this(partition, type, position, key, isFinished, Optional.empty());
  }

  /**
   * Refuses positions under 0, and an incarnation under 1 or of rows. A key and an incarnation that
   * are null, as where an older export is read, are taken for empty.
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
