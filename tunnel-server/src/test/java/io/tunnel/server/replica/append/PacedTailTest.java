package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PacedTailTest {

  private static final int PARTITION = 7;
  private static final long BYTES_MAX = 1_000;

  private final CountedTail counted = new CountedTail();
  private final List<AppendTail.Event> taken = new ArrayList<>();
  private final PacedTail tail = new PacedTail(counted, BYTES_MAX, taken::add);

  @Test
  void pauses_while_more_bytes_wait_than_may_and_resumes_at_a_half() {
    read(1, BYTES_MAX);
    assertThat(counted.isPaused).isFalse();
    read(1, 1);
    assertThat(counted.isPaused).isTrue();
    tail.taken(BYTES_MAX / 2, 1);
    tail.resume();
    assertThat(counted.isPaused).as("501 bytes wait").isTrue();
    tail.taken(1, 0);
    tail.resume();
    assertThat(counted.isPaused).isFalse();
    assertThat(tail.waitingBytes()).isEqualTo(BYTES_MAX / 2);
    assertThat(taken).hasSize(2);
  }

  @Test
  void pauses_while_many_small_records_wait() {
    read(PacedTail.RECORDS_MAX, 1);
    assertThat(counted.isPaused).isFalse();
    read(1, 0);
    assertThat(counted.isPaused).isTrue();
    tail.taken(1, PacedTail.RECORDS_MAX / 2);
    tail.resume();
    assertThat(counted.isPaused).as("one record more than a half waits").isTrue();
    tail.taken(0, 1);
    tail.resume();
    assertThat(counted.isPaused).isFalse();
  }

  private void read(int records, long bytes) {
    AppendHeader header =
        new AppendHeader(Kind.BATCHES, 0, 0, 1, 1, 0, AppendHeader.NO_SNAPSHOT, Bytes.EMPTY);
    AppendTail.Stored record = new AppendTail.Stored(1, 0, 0, header, new byte[0]);
    counted.listener.happened(
        new AppendTail.Read(PARTITION, 1, Collections.nCopies(records, record), 2, bytes));
  }

  /** A log that is read when the test says so. */
  private static final class CountedTail implements ReadableAppendLog, AppendTail {
    private AppendTail.Listener listener = event -> {};
    private boolean isPaused;

    @Override
    public AppendTail tail(AppendTail.Listener events) {
      listener = events;
      return this;
    }

    @Override
    public void pause() {
      isPaused = true;
    }

    @Override
    public void resume() {
      isPaused = false;
    }

    @Override
    public long follow(int partition, long offset, int leaderEpoch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void unfollow(int partition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void pause(int partition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void resume(int partition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<Integer, CompletableFuture<AppendTail.End>> ends(Collection<Integer> partitions) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void append(int partition, byte[] header, byte[] value, Appended appended) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isFull() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> deleteBefore(int partition, long offset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
