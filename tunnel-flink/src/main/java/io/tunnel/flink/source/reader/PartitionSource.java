package io.tunnel.flink.source.reader;

import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.table.TablePositions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Partitions being read; the SDK's {@link PartitionReader}, or a test's. */
public interface PartitionSource extends AutoCloseable {

  /** Begins with a partition. */
  void start(ReadStart start);

  /** Keeps what comes of a partition. */
  void pause(int partition);

  /** Gives it out again. */
  void resume(int partition);

  /** What came next. */
  Optional<PartitionRecords> poll(Duration wait) throws InterruptedException;

  /** Ends the poll that waits, or the next one. */
  void wakeUp();

  /** Where partitions begin and end now. */
  CompletableFuture<TablePositions> positions();

  @Override
  void close();

  /** The SDK's. */
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
