package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The writes of a group, from their admission to their answers, and what the log gets of them. For
 * the shard's thread.
 */
final class OpenGroup {

  private final GroupCore batches;
  private final Deque<Admitted> admitted = new ArrayDeque<>();
  private long expiredRows;

  /**
   * A write of the group, and its number in the log's group, or -1 when no row of it was accepted.
   */
  private record Admitted(PendingWrite write, ConditionCore.Judged judged, int number) {}

  OpenGroup(int mergedBytesMax) {
    this.batches = new GroupCore(mergedBytesMax);
  }

  /** What goes into the log. */
  GroupCore batches() {
    return batches;
  }

  /** Whether no write was admitted. */
  boolean isEmpty() {
    return admitted.isEmpty();
  }

  /** Rows of the group that expired, and that its writes write again. */
  long expiredRows() {
    return expiredRows;
  }

  /** Takes a write; the DELETEs of expired rows that it writes again come before it. */
  void admit(PendingWrite write, ConditionCore.Judged judged) {
    if (judged.expired().isPresent()) {
      ChangeBatch expired = judged.expired().get();
      expiredRows += expired.rowCount();
      var unused = batches.add(expired);
    }
    int number = judged.accepted().map(batches::add).orElse(-1);
    admitted.add(new Admitted(write, judged, number));
  }

  /** The batches as their writers sent them, in order. */
  List<ChangeBatch> parts() {
    List<ChangeBatch> parts = new ArrayList<>();
    for (GroupCore.Merged merged : batches.batches()) {
      parts.addAll(merged.parts());
    }
    return parts;
  }

  /** Answers all writes of the group, which is committed; returns how many rows it rejected. */
  long acknowledge(long[] firstPositions) {
    long rejected = 0;
    for (Admitted done = admitted.poll(); done != null; done = admitted.poll()) {
      List<Rejection> rejections = done.judged().rejections();
      int applied = done.write().batch().rowCount() - rejections.size();
      long first = done.number() < 0 ? 0 : firstPositions[done.number()];
      done.write().written(new WriteResult(first, applied, rejections));
      rejected += rejections.size();
    }
    return rejected;
  }

  /** Refuses all writes of the group. */
  void refuse(RefusedException reason) {
    admitted.forEach(lost -> lost.write().refused(reason));
  }

  /** Begins a new group. */
  void clear() {
    admitted.clear();
    batches.clear();
    expiredRows = 0;
  }
}
