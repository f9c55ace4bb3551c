package io.tunnel.partition.tool;

import io.tunnel.model.TableOptions;
import java.util.Objects;
import java.util.Optional;

/**
 * How long changes are to be kept, as far as that was said.
 *
 * @param ms at least so many milliseconds; 0 for ever
 * @param bytes at least so many bytes; 0 for any number
 */
record Retention(Optional<Long> ms, Optional<Long> bytes) {

  /** Nothing was said. */
  static final Retention ANY = new Retention(Optional.empty(), Optional.empty());

  Retention {
    Objects.requireNonNull(ms, "ms");
    Objects.requireNonNull(bytes, "bytes");
  }

  /** The options with what was said in place of what they had. */
  TableOptions over(TableOptions options) {
    return new TableOptions(
        options.durability(),
        ms.orElse(options.retentionMs()),
        bytes.orElse(options.retentionBytes()));
  }
}
