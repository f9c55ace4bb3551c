package io.tunnel.flink.source.reader;

import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A reader of partitions: the SDK's {@link PartitionReader}, or a fake in tests. */
public interface PartitionSource extends AutoCloseable {

  /** Starts to read a partition. */
  void start(ReadStart start);

  /** Holds back the records of a partition. */
  void pause(int partition);

  /** Ends {@link #pause}. */
  void resume(int partition);

  /** The next records. */
  Optional<PartitionRecords> poll(Duration wait) throws InterruptedException;

  /** Ends the waiting {@link #poll}, or the next one. */
  void wakeUp();

  /** The first and last positions of the partitions. */
  CompletableFuture<TablePositions> positions();

  @Override
  void close();

  /** The SDK's reader as a source. */
  static PartitionSource of(PartitionReader reader) {
    return new PartitionSource() {
      @Override
      public void start(ReadStart start) {
        reader.start(start);
      }

      @Override
      public void pause(int partition) {
        reader.pause(partition);
      }

      @Override
      public void resume(int partition) {
        reader.resume(partition);
      }

      @Override
      public Optional<PartitionRecords> poll(Duration wait) throws InterruptedException {
        return reader.poll(wait);
      }

      @Override
      public void wakeUp() {
        reader.wakeUp();
      }

      @Override
      public CompletableFuture<TablePositions> positions() {
        return reader.positions();
      }

      @Override
      public void close() {
        reader.close();
      }
    };
  }
}
