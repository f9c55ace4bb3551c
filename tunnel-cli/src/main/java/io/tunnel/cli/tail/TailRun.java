package io.tunnel.cli.tail;

import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Prints the changes of partitions: first the changes up to the ends at the start, merged in the
 * order of their commit; then, when following, new changes in the order of their arrival. Both keep
 * the order inside each partition.
 */
final class TailRun {

  /** How long it takes at most until somebody who wants it to stop is noticed. */
  private static final Duration LOOK = Duration.ofMillis(100);

  private final Changes changes;
  private final Lines lines;
  private final BooleanSupplier isStopped;

  TailRun(Changes changes, Lines lines, BooleanSupplier isStopped) {
    this.changes = changes;
    this.lines = lines;
    this.isStopped = isStopped;
  }

  /** Returns at the end, when it is stopped, and when nothing more is to be printed. */
  void run(TablePositions now, List<Integer> partitions, TailStart start, boolean isFollowing)
      throws InterruptedException {
    Map<Integer, PartitionPositions> found = new HashMap<>();
    now.partitions().forEach(positions -> found.put(positions.partition(), positions));
    found.keySet().retainAll(partitions);
    List<ReadStart> history = new ArrayList<>();
    List<ReadStart> following = new ArrayList<>();
    for (PartitionPositions positions : found.values()) {
      long behind = start.behind(positions);
      if (behind < positions.latest()) {
        ReadStart all = ReadStart.changes(positions.partition(), behind);
        history.add(all.upTo(positions.latest()));
      }
      following.add(ReadStart.changes(positions.partition(), Math.max(behind, positions.latest())));
    }
    printMerged(history);
    if (isFollowing && !isOver()) {
      follow(following);
    }
  }

  private void printMerged(List<ReadStart> history) throws InterruptedException {
    changes.start(history);
    MergeCore merge = new MergeCore(history.stream().map(ReadStart::partition).toList());
    while (!merge.isDone() && !isOver()) {
      for (var next = merge.next(); next.isPresent() && !isOver(); next = merge.next()) {
        lines.print(next.get());
      }
      lines.flush();
      if (!merge.isDone() && !isOver()) {
        changes.poll(LOOK).ifPresent(merge::add);
      }
    }
    lines.flush();
  }

  private void follow(List<ReadStart> starts) throws InterruptedException {
    changes.start(starts);
    Set<Integer> open = new HashSet<>();
    starts.forEach(start -> open.add(start.partition()));
    while (!open.isEmpty() && !isOver()) {
      Optional<PartitionRecords> came = changes.poll(LOOK);
      if (came.isPresent()) {
        came.get().records().forEach(lines::print);
        came.get().release();
        if (came.get().isEnd()) {
          open.remove(came.get().start().partition());
        }
        lines.flush();
      }
    }
  }

  private boolean isOver() {
    return lines.isOver() || isStopped.getAsBoolean();
  }
}
