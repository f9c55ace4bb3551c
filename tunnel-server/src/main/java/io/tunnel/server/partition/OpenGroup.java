package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The writes of a group, from their admission to their answers, and what the log gets of them. For
 * the shard's thread.
 */
public final class OpenGroup {

  private final GroupCore batches;
  private final ShardRows rows;
  private final Writers writers;
  private final BoundRows bound;
  private final LongSupplier epochMicros;
  private final Deque<Admitted> admitted = new ArrayDeque<>();

  /** Whether the writers have been notified that no result follows. */
  private boolean isGivenUp;

  /** The writers that have a batch in the group. */
  private final Set<Numbering> numbering = new HashSet<>();

  /** The sessions that the group binds rows to. */
  private final Set<Long> sessions = new HashSet<>();

  private boolean mustSync;
  private boolean hasRepeatedSynced;
  private long expiredRows;

  /** What the writes return; a write may exceed the limit of all groups by its own limit. */
  private int returnedBytes;

  private final ReturnedBytes returnedOfAll;

  /** The places that the group has reserved for bound rows. */
  private final List<BoundRows.Reserved> reserved = new ArrayList<>();

  private int lane;
  private long begunNanos;
  private long begunMicros;

  /** By its number in the group, the first position of each batch; once the log has given them. */
  private long[] firstPositions = {};

  /** The bytes that the answers of several groups hold. */
  static final class ReturnedBytes {
    private long bytes;

    /** Whether no further write may be admitted. */
    boolean areTooMany() {
      return bytes >= Limits.RETURNED_BYTES_MAX;
    }
  }

  /** A writer of a partition. */
  private record Numbering(int partition, Bytes writer) {}

  /**
   * A write.
   *
   * @param number the number in the log's group; -1 when no row was accepted
   * @param repeated the answer to a batch that was applied before
   * @param refusal why the batch is refused by its number
   */
  private record Admitted(
      PendingWrite write,
      List<Rejection> rejections,
      List<ReturnedRow> returned,
      OptionalLong firstNumber,
      Optional<ChangeBatch> accepted,
      int number,
      Optional<WriteResult> repeated,
      Optional<RefusedException> refusal) {

    /** A write of which no row is evaluated. */
    private static Admitted ended(
        PendingWrite write, Optional<WriteResult> repeated, Optional<RefusedException> refusal) {
      return new Admitted(
          write,
          List.of(),
          List.of(),
          OptionalLong.empty(),
          Optional.empty(),
          -1,
          repeated,
          refusal);
    }

    private boolean isJudged() {
      return repeated.isEmpty() && refusal.isEmpty();
    }
  }

  OpenGroup(
      int mergedBytesMax,
      ShardRows rows,
      SeenChanges seen,
      LongSupplier epochMicros,
      ReturnedBytes returnedOfAll) {
    this.returnedOfAll = returnedOfAll;
    this.batches = new GroupCore(mergedBytesMax);
    this.rows = rows;
    this.writers = seen.writers();
    this.bound = seen.bound();
    this.epochMicros = epochMicros;
  }

  /** What goes into the log. */
  public GroupCore batches() {
    return batches;
  }

  /** Whether no write was admitted. */
  boolean isEmpty() {
    return admitted.isEmpty();
  }

  /** Whether a write of the group asks for a sync. */
  public boolean mustSync() {
    return mustSync;
  }

  /** Whether a repeated write asks for a sync, which its first attempt may not have asked for. */
  boolean hasRepeatedSynced() {
    return hasRepeatedSynced;
  }

  /** Gathers writes of this lane from now on. */
  void gather(int ofLane) {
    lane = ofLane;
  }

  /** The {@linkplain ShardLog#laneOf lane} of its writes. */
  public int lane() {
    return lane;
  }

  /** The log has given positions to the group: the first one of each batch, by its number. */
  public void place(long[] positions) {
    firstPositions = positions;
  }

  /** The group is appended from now on; its changes are committed at {@code nowMicros} or later. */
  void begin(long nowNanos, long nowMicros) {
    begunNanos = nowNanos;
    begunMicros = nowMicros;
  }

  /** By the wall clock, in microseconds since 1970. */
  long begunMicros() {
    return begunMicros;
  }

  long begunNanos() {
    return begunNanos;
  }

  /** Rows of the group that expired, and that its writes write again. */
  long expiredRows() {
    return expiredRows;
  }

  /**
   * Whether a write waits until the group is answered: the group has a batch of the writer, who is
   * answered first, or of the session, whose rows are counted first. What deletes rows of an ended
   * session is evaluated by what is committed, and so is first.
   */
  boolean isClosedTo(PendingWrite write) {
    return write.writer().map(by -> numbering.contains(numbering(write, by))).orElse(false)
        || write
            .binding()
            .map(of -> of.isEnd() ? !isEmpty() : sessions.contains(of.session()))
            .orElse(false);
  }

  private static Numbering numbering(PendingWrite write, Numbered by) {
    return new Numbering(write.batch().partition(), by.writer());
  }

  /**
   * Settles a write without a look at stored rows, where its number or its session decides: the
   * write is refused, or gets its first answer with the group, or deletes rows of sessions that
   * have ended.
   *
   * @param conditions is notified of rows that the group changes
   */
  boolean isSettled(PendingWrite write, ConditionCore conditions) {
    if (isEndedByNumber(write) || isRefused(write)) {
      return true;
    }
    boolean isEnd = write.binding().filter(PendingWrite.Binding::isEnd).isPresent();
    if (isEnd) {
      ConditionCore.Judged judged = bound.judge(write.batch());
      judged.accepted().ifPresent(left -> conditions.judge(left, write.place(), false));
      admit(write, judged);
    }
    return isEnd;
  }

  /**
   * Refuses a write whose partition is gone, or whose session has ended or has no capacity for its
   * rows.
   */
  boolean isRefused(PendingWrite write) {
    try {
      if (!rows.isLive(write.batch().partition())) {
        throw PendingWrite.dropped();
      }
      write
          .binding()
          .filter(of -> !of.isEnd())
          .ifPresent(of -> bound.require(write.batch(), of.session()));
      return false;
    } catch (RefusedException e) {
      write.refused(e);
      return true;
    }
  }

  /**
   * Ends an idempotent write, without evaluating its rows, where the number says that they must not
   * be applied: the write is refused, or gets its first answer with the group. Rows that have
   * expired since the first attempt change nothing of the answer.
   */
  private boolean isEndedByNumber(PendingWrite write) {
    if (write.writer().isEmpty()) {
      return false;
    }
    ChangeBatch batch = write.batch();
    Optional<WriteResult> repeated;
    try {
      repeated = writers.repeated(batch, write.writer().get(), epochMicros.getAsLong());
    } catch (RefusedException e) {
      // With the group: a leader that was replaced does not know the last batches of the writer.
      admitted.add(Admitted.ended(write, Optional.empty(), Optional.of(e)));
      return true;
    }
    if (repeated.isPresent()) {
      mustSync |= write.isSynced();
      hasRepeatedSynced |= write.isSynced();
      admitted.add(Admitted.ended(write, repeated, Optional.empty()));
    }
    return repeated.isPresent();
  }

  /**
   * Adds an evaluated write. The DELETEs of expired rows that the write writes again come before
   * it, as a batch that no writer has written.
   */
  void admit(PendingWrite write, ConditionCore.Judged judged) {
    if (judged.expired().isPresent()) {
      ChangeBatch expired = judged.expired().get();
      expiredRows += expired.rowCount();
      var unused = batches.add(expired);
    }
    Optional<GroupCore.Attribution> number =
        write
            .writer()
            .map(
                by ->
                    new GroupCore.Attribution(
                        by.writer(),
                        by.number(),
                        AnswerCodec.encode(
                            judged.rejections(), judged.returned(), judged.firstNumber())));
    int inGroup = judged.accepted().map(accepted -> batches.add(accepted, number)).orElse(-1);
    if (inGroup < 0) {
      number.ifPresent(batches::reject);
    }
    write.writer().ifPresent(by -> numbering.add(numbering(write, by)));
    write.binding().ifPresent(of -> note(of, judged.accepted()));
    int bytes = ReturnedRow.bytes(judged.returned());
    returnedBytes += bytes;
    returnedOfAll.bytes += bytes;
    mustSync |= write.isSynced();
    admitted.add(
        new Admitted(
            write,
            judged.rejections(),
            judged.returned(),
            judged.firstNumber(),
            judged.accepted(),
            inGroup,
            Optional.empty(),
            Optional.empty()));
  }

  private void note(PendingWrite.Binding of, Optional<ChangeBatch> accepted) {
    sessions.add(of.session());
    if (!of.isEnd()) {
      accepted.ifPresent(rowsOf -> reserved.add(bound.reserve(rowsOf, of.session())));
    }
  }

  /**
   * The batches as their writers sent them, in order, without those of partitions that were dropped
   * while the group was under way.
   */
  List<ChangeBatch> parts() {
    List<ChangeBatch> parts = new ArrayList<>();
    for (GroupCore.Merged merged : batches.batches()) {
      if (rows.isLive(merged.partition())) {
        parts.addAll(merged.parts());
      }
    }
    return parts;
  }

  /**
   * The group counts: notes the writers' answers and the bound rows, to be stored with the group's
   * rows.
   */
  void committed() {
    for (Admitted done : admitted) {
      if (!rows.isLive(done.write().batch().partition())) {
        continue;
      }
      if (done.write().binding().isPresent() || bound.has(done.write().batch().partition())) {
        done.accepted().ifPresent(bound::saw);
      }
      if (done.isJudged() && done.write().writer().isPresent()) {
        long micros =
            done.accepted().map(ChangeBatch::commitMicros).orElseGet(epochMicros::getAsLong);
        writers.answered(
            done.write().batch().partition(), done.write().writer().get(), result(done), micros);
      }
    }
  }

  private WriteResult result(Admitted done) {
    int applied = done.write().batch().rowCount() - done.rejections().size();
    long first = done.number() < 0 ? 0 : firstPositions[done.number()];
    return new WriteResult(first, applied, done.rejections())
        .returning(done.returned())
        .numbered(done.firstNumber());
  }

  /** Answers all writes that have no answer; returns how many rows were rejected. */
  long acknowledge() {
    long rejected = 0;
    for (Admitted done = admitted.poll(); done != null; done = admitted.poll()) {
      rejected += done.rejections().size();
      if (isGivenUp) {
        continue;
      }
      if (done.refusal().isPresent()) {
        done.write().refused(done.refusal().get());
      } else {
        done.write().written(done.repeated().isPresent() ? done.repeated().get() : result(done));
      }
    }
    return rejected;
  }

  /** None of these writes is known to be in the log. */
  void refuse(RefusedException reason) {
    giveUp(reason);
  }

  /** Tells the writers that they learn no more. The group may be committed all the same. */
  public void giveUp(RefusedException reason) {
    if (!isGivenUp) {
      isGivenUp = true;
      admitted.forEach(each -> each.write().refused(reason));
    }
  }

  /** Begins a new group. */
  void clear() {
    isGivenUp = false;
    admitted.clear();
    numbering.clear();
    sessions.clear();
    batches.clear();
    reserved.forEach(bound::unreserve);
    reserved.clear();
    mustSync = false;
    hasRepeatedSynced = false;
    expiredRows = 0;
    returnedOfAll.bytes -= returnedBytes;
    returnedBytes = 0;
  }
}
