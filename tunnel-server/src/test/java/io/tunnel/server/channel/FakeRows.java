package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.table.BaseRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** Rows whose reads are answered when the test says so, from rows that may change meanwhile. */
final class FakeRows implements BaseRows {

  /** Names of the rows, in the order of their keys. */
  final List<String> names = new ArrayList<>();

  /** Reads that are not answered. */
  final Queue<Runnable> reads = new ArrayDeque<>();

  /** What is answered instead of rows. */
  Optional<RuntimeException> failure = Optional.empty();

  @Override
  public void read(
      String tunnelId, int partition, Bytes after, long firstPosition, int bytesMax, Sink sink) {
    assertThat(tunnelId).isEqualTo("tunnel");
    reads.add(() -> answer(partition, after, firstPosition, bytesMax, sink));
    assertThat(reads).as("one read at a time").hasSize(1);
  }

  void answer() {
    Runnable read = reads.poll();
    if (read != null) {
      read.run();
    }
  }

  private void answer(int partition, Bytes after, long firstPosition, int bytesMax, Sink sink) {
    if (failure.isPresent()) {
      sink.failed(failure.get());
      return;
    }
    List<String> behind =
        names.stream().filter(name -> TestRows.keyBytes(name).compareTo(after) > 0).toList();
    if (behind.isEmpty()) {
      sink.end();
    } else if (bytesMax == 0) {
      sink.more();
    } else {
      BatchBuilder batch = new BatchBuilder(TestRows.SCHEMA, 64);
      for (String name : behind) {
        if (!batch.addWithin(bytesMax, new RowPutChange(TestRows.key(name), List.of()))) {
          break;
        }
      }
      int rows = batch.rowCount();
      sink.rows(
          batch.build(partition, firstPosition, 1),
          firstPosition + rows - 1,
          TestRows.keyBytes(behind.get(rows - 1)),
          rows == behind.size());
    }
  }
}
