package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.enumerator.FinishedSplits;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.flink.source.split.TunnelSplitState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.connector.base.source.reader.fetcher.SingleThreadFetcherManager;

/**
 * Reads its splits in one fetcher. A finished split stays in the reader's checkpoints until one
 * completes: otherwise the enumerator could miss the end of the split, and the split's children
 * would wait for ever.
 */
@SuppressWarnings("try") // Flink's base may be interrupted when it closes.
final class TunnelSourceReader<T>
    extends SingleThreadMultiplexSourceReaderBase<FetchedRecord, T, TunnelSplit, SplitProgress> {

  private final ChannelFigures figures;
  private final Optional<CheckpointReports> reports;
  private final Map<Integer, TunnelSplit> finished = new HashMap<>();
  private final TreeMap<Long, Set<Integer>> finishedByCheckpoint = new TreeMap<>();

  TunnelSourceReader(
      SingleThreadFetcherManager<FetchedRecord, TunnelSplit> fetchers,
      RecordEmitter<FetchedRecord, T, SplitProgress> emitter,
      ChannelFigures figures,
      Optional<CheckpointReports> reports,
      SourceReaderContext context) {
    super(fetchers, emitter, context.getConfiguration(), context);
    this.figures = figures;
    this.reports = reports;
  }

  @Override
  public void addSplits(List<TunnelSplit> splits) {
    Map<Boolean, List<TunnelSplit>> byFinished =
        splits.stream().collect(Collectors.partitioningBy(TunnelSplit::isFinished));
    byFinished.get(true).forEach(split -> finished.put(split.partition(), split));
    tell(byFinished.get(true).stream().map(TunnelSplit::partition).collect(Collectors.toSet()));
    if (!byFinished.get(false).isEmpty()) {
      super.addSplits(byFinished.get(false));
    }
  }

  @Override
  protected void onSplitFinished(Map<String, SplitProgress> splits) {
    Set<Integer> partitions = new HashSet<>();
    splits
        .values()
        .forEach(
            progress -> {
              TunnelSplit split = progress.state().toSplit().finished();
              finished.put(split.partition(), split);
              partitions.add(split.partition());
              figures.forget(split.partition());
            });
    tell(partitions);
  }

  private void tell(Set<Integer> partitions) {
    if (!partitions.isEmpty()) {
      context.sendSourceEventToCoordinator(new FinishedSplits(partitions));
    }
  }

  @Override
  public List<TunnelSplit> snapshotState(long checkpoint) {
    List<TunnelSplit> splits = new ArrayList<>(super.snapshotState(checkpoint));
    splits.addAll(finished.values());
    reports.ifPresent(to -> to.snapshot(checkpoint, List.copyOf(splits)));
    finishedByCheckpoint.put(checkpoint, Set.copyOf(finished.keySet()));
    if (finishedByCheckpoint.size() > CheckpointReports.PENDING_MAX) {
      // A forgotten checkpoint only causes one more report.
      finishedByCheckpoint.pollFirstEntry();
    }
    return splits;
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) throws Exception {
    super.notifyCheckpointComplete(checkpoint);
    reports.ifPresent(to -> to.complete(checkpoint));
    Set<Integer> known = finishedByCheckpoint.getOrDefault(checkpoint, Set.of());
    finished.keySet().removeAll(known);
    finishedByCheckpoint.headMap(checkpoint, true).clear();
  }

  @Override
  protected SplitProgress initializedState(TunnelSplit split) {
    return new SplitProgress(
        new TunnelSplitState(split), figures.channel(split.partition(), split.position()));
  }

  @Override
  protected TunnelSplit toSplitType(String id, SplitProgress progress) {
    return progress.state().toSplit();
  }

  @Override
  public void close() throws Exception {
    try {
      super.close();
    } finally {
      reports.ifPresent(CheckpointReports::close);
    }
  }
}
