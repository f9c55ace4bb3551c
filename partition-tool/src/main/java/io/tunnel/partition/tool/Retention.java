package io.tunnel.partition.tool;

import io.tunnel.model.TableOptions;
import java.util.Objects;
import java.util.Optional;

/**
 * How long changes are to be kept and rows are to live, as far as that was said.
 *
 * @param ms at least so many milliseconds; 0 for ever
 * @param bytes at least so many bytes; 0 for any number
 * @param ttlMs how long a row lives after its last write, in milliseconds; 0 for ever
 */
record Retention(Optional<Long> ms, Optional<Long> bytes, Optional<Long> ttlMs) {

  /** Nothing was said. */
  static final Retention ANY = new Retention(Optional.empty(), Optional.empty());

  /** Of the changes alone. */
  Retention(Optional<Long> ms, Optional<Long> bytes) {
    this(ms, bytes, Optional.empty());
  }

  Retention {
    Objects.requireNonNull(ms, "ms");
    Objects.requireNonNull(bytes, "bytes");
    Objects.requireNonNull(ttlMs, "ttlMs");
  }

  /** The options with what was said in place of what they had. */
  TableOptions over(TableOptions options) {
    return new TableOptions(
        options.durability(),
        ms.orElse(options.retentionMs()),
        bytes.orElse(options.retentionBytes()),
        ttlMs.isPresent() ? ttlMs.filter(ms -> ms > 0) : options.ttlMs());
  }
}
