package io.tunnel.server.table;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * A fold of changes into a table, in slices. Several folds of a table may be open if their
 * partitions differ, but only one thread at a time may run a slice of a fold.
 */
@FunctionalInterface
public interface TableFold {

  /**
   * Folds changes with one write: one row at least, others as long as {@code mayGoOn} allows and
   * the write is not too large. After an exception this fold resumes where it stopped, before any
   * other fold of the table does.
   *
   * @return whether the table has all changes of this fold
   * @throws io.tunnel.server.disk.DiskFullException when the disk has no space; nothing is lost
   */
  boolean run(Offsets offsets, BooleanSupplier mayGoOn) throws IOException;

  /**
   * Log offsets that a table stores with the rows.
   *
   * @param before the table has all changes before this offset, whether this fold is complete or
   *     not
   * @param after the table has all changes before this offset once this fold is complete
   * @param ahead the table has no change after this offset
   */
  record Offsets(long before, long after, long ahead) {}
}
