package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;

/** Is given what a replay reads; batches are valid until {@link #groupEnd} returns. */
public interface ReplayVisitor {

  /** The next batch with rows. */
  void batch(ChangeBatch batch) throws IOException;

  /** A batch without rows: answers to writers of rows of the group, or the place of a record. */
  void answers(ChangeBatch batch) throws IOException;

  /** All batches of a group have been given; the next group starts at log offset {@code end}. */
  void groupEnd(long end) throws IOException;
}
