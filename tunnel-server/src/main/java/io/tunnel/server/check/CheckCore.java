package io.tunnel.server.check;

import io.tunnel.server.check.DirectoryFacts.CheckpointFacts;
import io.tunnel.server.check.DirectoryFacts.PartitionFacts;
import io.tunnel.server.check.DirectoryFacts.ShardFacts;
import io.tunnel.server.check.Problem.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Compares the parts of a data directory: catalog, log, rows and checkpoints.
 *
 * <p>What must hold: no partition is in the log or the rows that the catalog never gave out; the
 * rows are folded up to the end of a group, at or before the log's end and at or after the last
 * gap; no checkpoint is beyond its partition's last change, nor before what is kept.
 */
final class CheckCore {

  private final DirectoryFacts facts;
  private final Map<Integer, PartitionFacts> partitions = new HashMap<>();
  private final List<Problem> problems = new ArrayList<>();

  private CheckCore(DirectoryFacts facts) {
    this.facts = facts;
    facts.partitions().forEach(partition -> partitions.put(partition.id(), partition));
  }

  /** What does not fit together. */
  static List<Problem> problems(DirectoryFacts facts) {
    CheckCore core = new CheckCore(facts);
    facts.shards().forEach(core::checkShard);
    facts.checkpoints().forEach(core::checkCheckpoint);
    return core.problems;
  }

  private void checkShard(ShardFacts shard) {
    checkFolded(shard);
    SortedSet<Integer> unknown = new TreeSet<>(shard.committed().keySet());
    unknown.addAll(shard.rowPartitions());
    unknown.removeAll(partitions.keySet());
    SortedSet<Integer> neverGiven = unknown.tailSet(facts.lastPartition() + 1);
    if (!neverGiven.isEmpty()) {
      problems.add(
          new Problem(
              Kind.CATALOG_TOO_OLD,
              "shard-" + shard.id(),
              "there are changes or rows of partition "
                  + listed(neverGiven)
                  + ", but the catalog has given out ids up to "
                  + facts.lastPartition()
                  + " only"));
    }
    SortedSet<Integer> dropped = unknown.headSet(facts.lastPartition() + 1);
    if (!dropped.isEmpty()) {
      problems.add(
          new Problem(
              Kind.DROPPED_LEFT,
              "shard-" + shard.id(),
              "there are changes or rows of partition "
                  + listed(dropped)
                  + ", whose table was dropped"));
    }
  }

  private void checkFolded(ShardFacts shard) {
    if (shard.folded().isEmpty()) {
      return;
    }
    long folded = shard.folded().getAsLong();
    String place = "shard-" + shard.id() + "/table";
    if (folded > shard.logEnd()) {
      problems.add(
          new Problem(
              Kind.TABLE_AHEAD,
              place,
              "the rows are folded up to offset "
                  + folded
                  + ", but the log ends at offset "
                  + shard.logEnd()));
    } else if (folded < shard.wholeFrom()) {
      problems.add(
          new Problem(
              Kind.TABLE_TOO_OLD,
              place,
              "the rows are folded up to offset "
                  + folded
                  + ", but the log is complete only from offset "
                  + shard.wholeFrom()
                  + " on"));
    } else if (!shard.isGroupEnd()) {
      problems.add(
          new Problem(
              Kind.TABLE_OF_ANOTHER_LOG,
              place,
              "the rows are folded up to offset "
                  + folded
                  + ", where the log has no end of a group"));
    }
  }

  private void checkCheckpoint(CheckpointFacts checkpoint) {
    long committed = 0;
    long givenUp = 0;
    for (ShardFacts shard : facts.shards()) {
      committed = Math.max(committed, shard.committed().getOrDefault(checkpoint.partition(), 0L));
      givenUp = Math.max(givenUp, shard.givenUp().getOrDefault(checkpoint.partition(), 0L));
    }
    String place = "tunnel " + checkpoint.tunnel() + " of table " + checkpoint.table();
    String where = "its checkpoint in partition " + checkpoint.partition() + " is position ";
    if (checkpoint.position() > committed) {
      PartitionFacts partition = partitions.get(checkpoint.partition());
      boolean isSynced = partition == null || partition.isSynced();
      problems.add(
          new Problem(
              isSynced ? Kind.CHECKPOINT_BEYOND : Kind.CHECKPOINT_TAKEN_BACK,
              place,
              where + checkpoint.position() + ", but the last change in the log is " + committed));
    } else if (checkpoint.position() < givenUp) {
      problems.add(
          new Problem(
              Kind.HISTORY_LOST,
              place,
              where
                  + checkpoint.position()
                  + ", and changes up to position "
                  + givenUp
                  + " are not kept any more"));
    }
  }

  private static String listed(SortedSet<Integer> ids) {
    List<String> texts = new ArrayList<>();
    for (int id : ids) {
      texts.add(String.valueOf(id));
    }
    return String.join(", ", texts);
  }
}
