package io.tunnel.sdk.testing.table;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import java.util.Optional;
import java.util.OptionalLong;

/** Where a channel takes from what it delivers. */
public interface ChannelSource {

  /**
   * The batch with the first change behind {@code position}; nothing when there is none now.
   *
   * @param bytesMax bytes of a batch that is made for this, if one row is not larger
   */
  Optional<ChangeBatch> next(long position, int bytesMax);

  /** The position behind which nothing comes, once that is known. */
  OptionalLong end();

  /** The newest position there is, for a channel that has come as far as {@code delivered}. */
  long committed(long delivered);

  /** What is kept, beside a position, to go on behind it: of base data the row's key. */
  Bytes keyAt(long position);

  /** Goes on behind another position, at which the row of {@code key} is. */
  void moveTo(long position, Bytes key);

  /** The server has crashed, and the channel goes on behind {@code checkpointed}. */
  void crashed(long checkpointed);
}
