package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;

/**
 * The result of one fetch: records of one partition, the end of its rows, the end of the partition,
 * or nothing. When Flink is done with the records, their bytes become credit again, which bounds
 * the memory.
 */
final class Fetch implements RecordsWithSplitIds<FetchedRecord> {

  /** Nothing. */
  static final Fetch NOTHING =
      new Fetch(
          Optional.empty(),
          Collections.emptyIterator(),
          Set.of(),
          Fetch::doNothing,
          Fetch::doNothing);

  private final Iterator<FetchedRecord> records;
  private final Set<String> finished;
  private final Runnable whenTaken;
  private final Runnable whenDone;
  private Optional<String> split;

  private Fetch(
      Optional<PartitionRecords> source,
      Iterator<FetchedRecord> records,
      Set<String> finished,
      Runnable whenTaken,
      Runnable whenDone) {
    this.split = source.map(from -> TunnelSplit.id(from.start().partition()));
    this.records = records;
    this.finished = finished;
    this.whenTaken = whenTaken;
    this.whenDone = whenDone;
  }

  private static void doNothing() {
    // The end of rows has no bytes to count or to give back.
  }

  /** Records of a partition; {@code whenTaken} is run on the thread that takes them. */
  static Fetch of(PartitionRecords delivered, Runnable whenTaken) {
    FetchedRecord current = new FetchedRecord(delivered.start().type(), delivered.seenIn());
    Iterator<StreamRecord> records = delivered.records().iterator();
    return new Fetch(
        Optional.of(delivered),
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return records.hasNext();
          }

          @Override
          public FetchedRecord next() {
            return current.of(records.next());
          }
        },
        Set.of(),
        whenTaken,
        delivered::release);
  }

  /** A partition has no more rows; its changes follow. */
  static Fetch rowsEnd(PartitionRecords end) {
    FetchedRecord told = new FetchedRecord(end.start().type(), end.seenIn());
    return new Fetch(
        Optional.of(end), List.of(told).iterator(), Set.of(), Fetch::doNothing, Fetch::doNothing);
  }

  /** Splits that were read to their ends. */
  static Fetch finished(Set<String> splits) {
    return new Fetch(
        Optional.empty(),
        Collections.emptyIterator(),
        Set.copyOf(splits),
        Fetch::doNothing,
        Fetch::doNothing);
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
    return records.hasNext() ? records.next() : null;
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
