package io.tunnel.server.replica.append;

import java.util.OptionalLong;

/** Offsets of records by position, as far as a node knows them. Safe for use by any thread. */
@FunctionalInterface
interface OffsetOf {

  /**
   * The offset of a record that counts and begins at or before {@code position}: a reader that
   * begins there meets the change at {@code position}. Empty when the node knows no such record.
   */
  OptionalLong offsetAtOrBefore(int partition, long position);
}
