package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.RowPage.Looked;
import io.tunnel.wire.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A validated batch that waits for its shard.
 *
 * @param writer who wrote the batch, and under which number; empty where the writer does not number
 * @param isSynced whether it is acknowledged only when it is on the disk
 */
public record PendingWrite(
    ChangeBatch batch,
    Judging judging,
    Optional<Numbered> writer,
    boolean isSynced,
    Outcome outcome)
    implements ShardTask {

  private static final Logger LOGGER = LoggerFactory.getLogger(PendingWrite.class);

  /**
   * What the evaluation of a write's rows needs.
   *
   * @param place where its conditions on columns are evaluated: the rows of its table
   * @param isConditional whether any of its rows has a condition or is an update, or may have
   *     expired, and so may have to be evaluated against the row that is stored
   * @param columnSizes how large its columns are
   * @param binding what the write has to do with a session
   */
  public record Judging(
      ConditionPlace place,
      boolean isConditional,
      ColumnSizes columnSizes,
      Optional<Binding> binding) {

    /** Of a write that has to do with no session. */
    public Judging(ConditionPlace place, boolean isConditional, ColumnSizes columnSizes) {
      this(place, isConditional, columnSizes, Optional.empty());
    }
  }

  /**
   * The session of a write.
   *
   * @param session the session that the write binds rows to; 0 with {@code isEnd}
   * @param isEnd whether the write deletes rows of sessions that have ended
   */
  public record Binding(long session, boolean isEnd) {

    /** Of a write that deletes rows of sessions that have ended, any number of them. */
    static Binding ofEnded() {
      return new Binding(0, true);
    }
  }

  /**
   * Receives the outcome of a write, once. Called on the shard's thread: it must only pass it on.
   */
  public interface Outcome {

    /**
     * Stored rows were read to evaluate rows of the write; called any number of times before the
     * outcome.
     */
    default void looked(Looked looked) {}

    /** The write has the durability that its request asked for. */
    void written(WriteResult result);

    /**
     * The shard applied no change; after STORAGE_FAILED and OUTCOME_UNKNOWN the outcome is unknown.
     */
    void refused(RefusedException reason);
  }

  /** A write without conditions on columns, whose writer does not number. */
  public PendingWrite(
      ChangeBatch batch,
      boolean isConditional,
      ColumnSizes columnSizes,
      boolean isSynced,
      Outcome outcome) {
    this(
        batch,
        new Judging(ConditionPlace.ofRows(List.of()), isConditional, columnSizes),
        Optional.empty(),
        isSynced,
        outcome);
  }

  /** The same write with another listener for the result. */
  public PendingWrite tells(Outcome other) {
    return new PendingWrite(batch, judging, writer, isSynced, other);
  }

  /** Where the conditions on columns are evaluated. */
  public ConditionPlace place() {
    return judging.place();
  }

  /** Whether rows may have to be evaluated against stored rows. */
  public boolean isConditional() {
    return judging.isConditional();
  }

  /** The session that the write binds rows to, or whose rows the server deletes. */
  public Optional<Binding> binding() {
    return judging.binding();
  }

  /** How large the columns are. */
  public ColumnSizes columnSizes() {
    return judging.columnSizes();
  }

  @Override
  public Set<Integer> partitions() {
    return Set.of(batch.partition());
  }

  /** Tells the writer what was read to evaluate the write. */
  public void looked(Looked looked) {
    if (looked.rows() > 0) {
      outcome.looked(looked);
    }
  }

  /**
   * Tells the writer that it is written; a failure of the writer's listener concerns this writer
   * alone.
   */
  public void written(WriteResult result) {
    try {
      outcome.written(result);
    } catch (RuntimeException e) {
      LOGGER.error("a write was committed but its writer could not be notified", e);
    }
  }

  /**
   * Tells the writer that it is refused; a failure of the writer's listener concerns this writer
   * alone.
   */
  public void refused(RefusedException reason) {
    try {
      outcome.refused(reason);
    } catch (RuntimeException e) {
      LOGGER.error("a write was refused but its writer could not be notified", e);
    }
  }

  /** The table was there when the write was accepted. */
  static RefusedException dropped() {
    return new RefusedException(
        ErrorCode.TABLE_NOT_FOUND, "the table was dropped before this was written");
  }

  /** The shared log has not said what became of a write, and {@code why} says the reason. */
  public static RefusedException unknown(String why) {
    return unknown(ErrorCode.OUTCOME_UNKNOWN, why);
  }

  /** The disk of this node failed under a write, or before. */
  static RefusedException diskFailed(String message) {
    return unknown(ErrorCode.STORAGE_FAILED, "the server's disk failed (" + message + ")");
  }

  private static RefusedException unknown(ErrorCode code, String why) {
    return new RefusedException(code, why + "; whether this was written is not known");
  }

  /** What is told to whom comes when no more is written. */
  public static RefusedException stopping() {
    return new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
  }
}
