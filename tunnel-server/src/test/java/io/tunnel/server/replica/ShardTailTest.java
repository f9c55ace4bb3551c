package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ShardTailTest {

  private static final int P = 1;
  private static final int KEY_BYTES = 100;
  private static final long BYTES_MAX = 500;

  private final PausedTail paused = new PausedTail();
  private final List<ReplicaTask> queue = new ArrayList<>();
  private final ShardTail tail = new ShardTail(new OneTail(), BYTES_MAX, queue::add);

  /** The log's side of the tail, which does something of the shard's thread when it is to pause. */
  private static final class PausedTail implements SharedLog.Tail {
    private boolean isPaused;
    private Runnable beforePause = () -> {};

    @Override
    public void follow(int partition, long offset) {}

    @Override
    public void unfollow(int partition) {}

    @Override
    public void pause() {
      beforePause.run();
      isPaused = true;
    }

    @Override
    public void resume() {
      isPaused = false;
    }

    @Override
    public void close() {}
  }

  /** A log of which only the tail is used. */
  private final class OneTail implements SharedLog {
    @Override
    public void append(int partition, List<Entry> entries, Appended appended) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Tail tail(TailListener listener) {
      return paused;
    }

    @Override
    public CompletableFuture<End> end(int partition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private void read(long offset) {
    Bytes key = Bytes.copyOf(new byte[KEY_BYTES]);
    Entry entry = new Entry(Kind.CHANGE, key, 1, offset, Optional.empty());
    tail.read(P, offset, List.of(new Stored(offset, 1, entry)), offset + 1, 1);
  }

  /** Work of the shard's thread on the waiting tasks. */
  private void takeAll() {
    for (ReplicaTask task : queue) {
      tail.taken(((ReplicaTask.Read) task).bytes());
    }
    queue.clear();
    tail.resume();
  }

  @Test
  void more_than_may_wait_pauses_until_half_of_it_is_taken() {
    read(0);
    read(1);
    read(2);
    assertThat(paused.isPaused).isFalse();
    read(3);
    assertThat(tail.waitingBytes()).isGreaterThan(BYTES_MAX);
    assertThat(paused.isPaused).isTrue();
    tail.taken(((ReplicaTask.Read) queue.remove(0)).bytes());
    tail.resume();
    assertThat(paused.isPaused).as("three still wait").isTrue();
    takeAll();
    assertThat(tail.waitingBytes()).isZero();
    assertThat(paused.isPaused).isFalse();
  }

  @Test
  void a_shard_that_takes_what_waits_while_the_tail_pauses_does_not_leave_it_paused() {
    read(0);
    read(1);
    read(2);
    paused.beforePause = this::takeAll;
    read(3);
    assertThat(queue).as("what was read last is still to come").hasSize(1);
    takeAll();
    assertThat(paused.isPaused).isFalse();
    paused.beforePause = () -> {};
    read(4);
    read(5);
    read(6);
    read(7);
    assertThat(paused.isPaused).as("it pauses again").isTrue();
  }
}
