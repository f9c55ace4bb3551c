package io.tunnel.flink.source.reader;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Partitions in a test's memory. */
final class FakePartitions implements PartitionSource {

  /** Of each delivery. */
  static final int BYTES = 500;

  final List<ReadStart> started = new ArrayList<>();
  final Set<Integer> paused = new TreeSet<>();
  final Deque<PartitionRecords> delivered = new ArrayDeque<>();
  Optional<RuntimeException> failure = Optional.empty();

  /** Of all rows that come from now on. */
  Optional<Long> rowsAt = Optional.of(40L);

  /** Of all that comes from now on. */
  Optional<Long> incarnation = Optional.of(8L);

  int released;
  int wakes;
  int questions;
  boolean isClosed;

  ReadStart lastStart() {
    return started.get(started.size() - 1);
  }

  void deliver(ReadStart start, List<StreamRecord> records) {
    delivered.add(
        new PartitionRecords(start, records, false, BYTES, seenIn(start), () -> released++));
  }

  void end(ReadStart start) {
    delivered.add(new PartitionRecords(start, List.of(), true, 0, seenIn(start), () -> released++));
  }

  private SeenIn seenIn(ReadStart start) {
    return new SeenIn(
        start.type() == ChannelType.BaseData ? rowsAt : Optional.empty(), incarnation);
  }

  @Override
  public void start(ReadStart start) {
    started.add(start);
  }

  @Override
  public void pause(int partition) {
    paused.add(partition);
  }

  @Override
  public void resume(int partition) {
    paused.remove(partition);
  }

  @Override
  public Optional<PartitionRecords> poll(Duration wait) {
    failure.ifPresent(
        reason -> {
          throw reason;
        });
    return Optional.ofNullable(delivered.poll());
  }

  @Override
  public void wakeUp() {
    wakes++;
  }

  @Override
  public CompletableFuture<TablePositions> positions() {
    questions++;
    return CompletableFuture.completedFuture(
        new TablePositions(3, List.of(new PartitionPositions(7, 0, 100, Optional.empty())), 0));
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
