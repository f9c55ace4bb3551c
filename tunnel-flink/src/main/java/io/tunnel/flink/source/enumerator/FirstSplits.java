package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.SourceSettings;
import io.tunnel.flink.source.StartAt;
import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Makes the splits of a table, with their starts and ends. Positions are looked up before any row
 * is read, so that the rows contain at least the changes that their split will not read.
 */
final class FirstSplits {

  private final SourceSettings settings;

  FirstSplits(SourceSettings settings) {
    this.settings = settings;
  }

  /** The splits of a table at one moment. */
  record Found(int tableId, List<WaitingSplit> splits) {}

  /** Makes the splits of all partitions. */
  Found find(TableLookup lookup) {
    TableInfo table = lookup.table();
    Optional<CheckpointSet> progress =
        settings.start() instanceof StartAt.Checkpoint at
            ? Optional.of(requireChannels(at.tunnel(), lookup, settings.type()))
            : Optional.empty();
    settings.reports().ifPresent(tunnel -> requireReportable(tunnel, lookup));
    Optional<Long> timeMs =
        settings.start() instanceof StartAt.Timestamp at
            ? Optional.of(at.epochMs())
            : Optional.empty();
    TablePositions positions = lookup.positions(timeMs);
    requireSame(table, positions.tableId());
    progress.ifPresent(set -> requireSame(table, set.tableId()));
    Map<Integer, PartitionPositions> byPartition = byPartition(positions);
    List<WaitingSplit> splits = new ArrayList<>();
    Set<Integer> whole = new HashSet<>();
    for (PartitionInfo partition : table.partitions()) {
      PartitionPositions found = byPartition.get(partition.id());
      if (found == null) {
        throw new IllegalStateException(
            "partition " + partition.id() + " came while the table was looked at; try again");
      }
      TunnelSplit split = split(found, progress);
      splits.add(waiting(split, partition, whole));
    }
    return new Found(table.tableId(), splits);
  }

  /** The progress of a tunnel in the channels to read. */
  private static CheckpointSet requireChannels(
      String tunnel, TableLookup lookup, TunnelType reading) {
    CheckpointSet progress = lookup.checkpoints(tunnel);
    ChannelType wanted = reading == TunnelType.BaseData ? ChannelType.BaseData : ChannelType.Stream;
    if (progress.channels().stream().noneMatch(channel -> channel.type() == wanted)) {
      throw new IllegalArgumentException(
          "tunnel "
              + tunnel
              + " has no progress in "
              + (wanted == ChannelType.Stream ? "changes" : "rows")
              + "; one of type "
              + (wanted == ChannelType.Stream ? TunnelType.Stream : TunnelType.BaseData)
              + " or "
              + TunnelType.BaseAndStream
              + " has");
    }
    return progress;
  }

  /** A tunnel that cannot take reports fails a job at its start, but not later. */
  private static void requireReportable(String tunnel, TableLookup lookup) {
    var unused = requireChannels(tunnel, lookup, TunnelType.Stream);
  }

  /**
   * A split without base data continues the changes of its parents, so it is whole only if all
   * parents are. Parents are described before their children.
   */
  private static WaitingSplit waiting(
      TunnelSplit split, PartitionInfo partition, Set<Integer> whole) {
    boolean isWhole =
        split.isWhole()
            && (split.base().kind() != BasePart.Kind.NONE
                || whole.containsAll(partition.parents()));
    if (isWhole) {
      whole.add(partition.id());
    }
    return new WaitingSplit(split.withWhole(isWhole), partition.parents());
  }

  /**
   * Makes the splits of partitions that came later, from their first changes on. Fails the job when
   * first changes of such a partition were deleted, because the job has missed them.
   *
   * @param whole the known partitions whose whole history the job sees
   */
  Found findNew(TableLookup lookup, Set<Integer> known, Set<Integer> whole) {
    TableInfo table = lookup.table();
    Set<Integer> wholeNow = new HashSet<>(whole);
    List<WaitingSplit> splits = new ArrayList<>();
    for (PartitionInfo partition : table.partitions()) {
      if (!known.contains(partition.id())) {
        splits.add(waiting(TunnelSplit.changes(partition.id(), 0), partition, wholeNow));
      }
    }
    return new Found(table.tableId(), splits);
  }

  private static void requireSame(TableInfo table, int tableId) {
    if (table.tableId() != tableId) {
      throw new IllegalStateException(
          "table " + table.meta().name() + " was dropped and made anew while it was looked at");
    }
  }

  private static Map<Integer, PartitionPositions> byPartition(TablePositions positions) {
    return positions.partitions().stream()
        .collect(Collectors.toMap(PartitionPositions::partition, Function.identity()));
  }

  private TunnelSplit split(PartitionPositions found, Optional<CheckpointSet> progress) {
    int partition = found.partition();
    if (progress.isPresent()) {
      return ended(resumed(found, progress.get()), found);
    }
    TunnelSplit split =
        switch (settings.type()) {
          case BaseData ->
              TunnelSplit.rowsAndChanges(partition, found.latest())
                  .withBase(BasePart.all(BasePart.Kind.ALONE));
          case BaseAndStream -> TunnelSplit.rowsAndChanges(partition, found.latest());
          case Stream -> TunnelSplit.changes(partition, streamStart(found));
        };
    return ended(split, found).in(found.incarnation());
  }

  private long streamStart(PartitionPositions found) {
    if (settings.start() instanceof StartAt.Latest) {
      return found.latest();
    }
    return settings.start() instanceof StartAt.Timestamp
        ? found.before().orElseThrow()
        : found.earliest();
  }

  /**
   * A split behind the tunnel's progress. A partition unknown to the tunnel is read from its start.
   * The job has not seen the rows that the tunnel has processed.
   */
  private TunnelSplit resumed(PartitionPositions found, CheckpointSet progress) {
    int partition = found.partition();
    Optional<ChannelPosition> changes = of(progress, partition, ChannelType.Stream);
    Optional<ChannelPosition> rows =
        of(progress, partition, ChannelType.BaseData).filter(channel -> !channel.isFinished());
    TunnelSplit split =
        TunnelSplit.changes(partition, changes.map(ChannelPosition::position).orElse(0L))
            .in(changes.flatMap(ChannelPosition::incarnation));
    if (settings.type() == TunnelType.Stream || rows.isEmpty()) {
      return settings.type() == TunnelType.BaseData ? split.finished() : split;
    }
    BasePart.Kind kind =
        settings.type() == TunnelType.BaseData ? BasePart.Kind.ALONE : BasePart.Kind.BEFORE_CHANGES;
    return split
        .withBase(new BasePart(kind, rows.get().position(), rows.get().key(), List.of()))
        .withWhole(rows.get().key().length() == 0);
  }

  private static Optional<ChannelPosition> of(
      CheckpointSet progress, int partition, ChannelType type) {
    return progress.channels().stream()
        .filter(channel -> channel.partition() == partition && channel.type() == type)
        .findFirst();
  }

  private TunnelSplit ended(TunnelSplit split, PartitionPositions found) {
    if (split.base().kind() == BasePart.Kind.ALONE) {
      return split;
    }
    if (settings.end() instanceof EndAt.Found) {
      return split.withEnd(
          Optional.of(Math.max(split.position(), found.latest())), Optional.empty());
    }
    return settings.end() instanceof EndAt.Timestamp at
        ? split.withEnd(Optional.empty(), Optional.of(at.epochMs()))
        : split;
  }
}
