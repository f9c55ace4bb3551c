package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.StreamRecord;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;

/**
 * What one look brought: records of one partition, its end, or nothing. The bytes are given back to
 * the service as credit when Flink is done with them, so that what waits in memory is bounded by
 * it.
 */
final class Fetch implements RecordsWithSplitIds<FetchedRecord> {

  /** Nothing. */
  static final Fetch NOTHING =
      new Fetch(Optional.empty(), List.of(), Set.of(), Fetch::doNothing, Fetch::doNothing);

  private final Iterator<StreamRecord> records;
  private final FetchedRecord current;
  private final Set<String> finished;
  private final Runnable whenTaken;
  private final Runnable whenDone;
  private Optional<String> split;

  private Fetch(
      Optional<PartitionRecords> source,
      List<StreamRecord> records,
      Set<String> finished,
      Runnable whenTaken,
      Runnable whenDone) {
    this.split = source.map(from -> TunnelSplit.id(from.start().partition()));
    this.current =
        new FetchedRecord(source.map(from -> from.start().type()).orElse(ChannelType.Stream));
    this.records = records.iterator();
    this.finished = finished;
    this.whenTaken = whenTaken;
    this.whenDone = whenDone;
  }

  private static void doNothing() {
    // Neither counted nor given back.
  }

  /** Records of a partition; {@code whenTaken} is run on the thread that takes them. */
  static Fetch of(PartitionRecords delivered, Runnable whenTaken) {
    return new Fetch(
        Optional.of(delivered), delivered.records(), Set.of(), whenTaken, delivered::release);
  }

  /** These were read to their ends. */
  static Fetch finished(Set<String> splits) {
    return new Fetch(
        Optional.empty(), List.of(), Set.copyOf(splits), Fetch::doNothing, Fetch::doNothing);
  }

  @Override
  public String nextSplit() {
    if (split.isEmpty()) {
      return null;
    }
    String next = split.get();
    split = Optional.empty();
    whenTaken.run();
    return next;
  }

  @Override
  public FetchedRecord nextRecordFromSplit() {
    return records.hasNext() ? current.of(records.next()) : null;
  }

  @Override
  public Set<String> finishedSplits() {
    return finished;
  }

  @Override
  public void recycle() {
    whenDone.run();
  }
}
