package io.tunnel.sdk.testing.table;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import java.util.Optional;
import java.util.OptionalLong;

/** The source of a channel's deliveries. */
public interface ChannelSource {

  /**
   * The batch with the first change behind {@code position}; empty without such a change.
   *
   * @param bytesMax the most bytes of a batch made by this call; a single larger row may exceed
   *     them
   */
  Optional<ChangeBatch> next(long position, int bytesMax);

  /** The last position, once known. */
  OptionalLong end();

  /** The newest position, for a channel that has delivered up to {@code delivered}. */
  long committed(long delivered);

  /** The key to keep with a position: for base data, the row's key. */
  Bytes keyAt(long position);

  /** Moves behind another position, whose row has the key {@code key}. */
  void moveTo(long position, Bytes key);

  /** Crashes with the server; the channel goes on behind {@code checkpointed}. */
  void crashed(long checkpointed);
}
