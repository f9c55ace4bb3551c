package io.tunnel.server.partition;

import io.tunnel.model.RefusedException;
import io.tunnel.wire.WriteResult;

/** Is told once what became of a write. Called on the shard's thread: it must only pass it on. */
public interface WriteOutcome {

  /** The write is as durable as it asked to be. */
  void written(WriteResult result);

  /** Nothing was applied, except that after STORAGE_FAILED nobody knows. */
  void refused(RefusedException reason);
}
