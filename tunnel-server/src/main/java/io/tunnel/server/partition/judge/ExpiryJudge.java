package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ExpiredRows;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether the stored rows of a batch have expired. A row that has expired is absent for
 * whatever the batch asks of the row. If the batch writes the row again, a DELETE of the expired
 * row comes first: no reader of the log lays the new columns upon the old ones.
 */
final class ExpiryJudge {

  /** Of rows that live for ever. */
  static final ExpiryJudge OFF = new ExpiryJudge(null, AliveAt.EVER);

  private final ConditionCore.StoredRows stored;
  private final AliveAt aliveAt;

  /** The expired rows that the batch writes, each once. */
  private final List<Bytes> written = new ArrayList<>();

  /** The first time at which a row expires that was found alive. */
  private long validMicros = Long.MAX_VALUE;

  /** What a stored row is. */
  enum Life {
    /** It is there, or there is none. */
    ALIVE,
    /** It is stored and has expired. */
    OVER
  }

  ExpiryJudge(ConditionCore.StoredRows stored, AliveAt aliveAt) {
    this.stored = stored;
    this.aliveAt = aliveAt;
  }

  /** Looks at the stored row of a key that the group has not changed. */
  Life look(RowKey key) {
    if (!aliveAt.expiry().isOn()) {
      return Life.ALIVE;
    }
    long commitMicros = stored.commitMicros(key.partition(), key.key());
    if (commitMicros == 0) {
      return Life.ALIVE;
    }
    if (aliveAt.isOver(commitMicros)) {
      return Life.OVER;
    }
    validMicros = Math.min(validMicros, commitMicros + aliveAt.expiry().ttlMicros());
    return Life.ALIVE;
  }

  /** The batch writes an expired row. */
  void isWritten(RowKey key) {
    written.add(key.key());
  }

  /** The batch is refused, and writes no row after all. */
  void noneIsWritten() {
    written.clear();
  }

  /** The DELETEs that come before the batch. */
  Optional<ChangeBatch> expired(int partition) {
    return written.isEmpty() ? Optional.empty() : Optional.of(ExpiredRows.of(partition, written));
  }

  long validMicros() {
    return validMicros;
  }
}
