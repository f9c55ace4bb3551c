package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;

/**
 * Reads all splits of one reader, with one connection per leader of their partitions. On the
 * fetcher's thread, except {@link #wakeUp}.
 */
final class TunnelSplitReader implements SplitReader<FetchedRecord, TunnelSplit> {

  private static final Duration WAIT = Duration.ofMillis(500);

  private final Supplier<PartitionSource> opener;
  private final ChannelFigures figures;
  private final Map<Integer, TunnelSplit> splits = new HashMap<>();

  /** Splits that were added without anything left to read. */
  private final Set<String> empty = new TreeSet<>();

  private volatile Optional<PartitionSource> source = Optional.empty();

  /** Opens the source with {@code opener} on first use. */
  TunnelSplitReader(Supplier<PartitionSource> opener, ChannelFigures figures) {
    this.opener = opener;
    this.figures = figures;
  }

  @Override
  public void handleSplitsChanges(SplitsChange<TunnelSplit> change) {
    if (!(change instanceof SplitsAddition)) {
      throw new UnsupportedOperationException("splits are added, not " + change.getClass());
    }
    if (source.isEmpty()) {
      source = Optional.of(opener.get());
    }
    for (TunnelSplit split : change.splits()) {
      splits.put(split.partition(), split);
      // An earlier split of the partition may have ended while paused.
      source.get().resume(split.partition());
      ReadStart start = split.start();
      if (start.type() == ChannelType.Stream && start.end().equals(Optional.of(start.position()))) {
        empty.add(split.splitId());
      } else {
        source.get().start(start);
      }
    }
  }

  @Override
  public RecordsWithSplitIds<FetchedRecord> fetch() throws IOException {
    if (!empty.isEmpty()) {
      Fetch finished = Fetch.finished(empty);
      empty.clear();
      return finished;
    }
    if (source.isEmpty()) {
      return Fetch.NOTHING;
    }
    figures.look(source.get());
    try {
      return source.get().poll(WAIT).map(this::fetched).orElse(Fetch.NOTHING);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Fetch.NOTHING;
    } catch (RuntimeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Fetch fetched(PartitionRecords delivered) {
    if (!delivered.isEnd()) {
      figures.fetched(delivered);
      return Fetch.of(delivered, () -> figures.taken(delivered));
    }
    int partition = delivered.start().partition();
    TunnelSplit split = splits.get(partition);
    boolean hasChanges =
        delivered.start().type() == ChannelType.BaseData
            && split.base().kind() == BasePart.Kind.BEFORE_CHANGES;
    ReadStart changes = split.changesStart(delivered.seenIn());
    if (hasChanges && !changes.end().equals(Optional.of(changes.position()))) {
      source.orElseThrow().start(changes);
      return Fetch.rowsEnd(delivered);
    }
    splits.remove(partition);
    return Fetch.finished(Set.of(split.splitId()));
  }

  @Override
  public void pauseOrResumeSplits(
      Collection<TunnelSplit> toPause, Collection<TunnelSplit> toResume) {
    source.ifPresent(
        open -> {
          toPause.forEach(split -> open.pause(split.partition()));
          toResume.forEach(split -> open.resume(split.partition()));
        });
  }

  @Override
  public void wakeUp() {
    source.ifPresent(PartitionSource::wakeUp);
  }

  @Override
  public void close() {
    source.ifPresent(PartitionSource::close);
  }
}
