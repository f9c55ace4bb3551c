package io.tunnel.server.partition.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One thread, which is held up until a test has said who wants to read. */
final class FairReadsTest {

  private static final int WAITING_MAX = 8;

  private final FairReads reads = new FairReads("reader", 1, WAITING_MAX);
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final CountDownLatch mayBegin = new CountDownLatch(1);
  private final Client greedy = new Client();
  private final Client modest = new Client();

  private static final class Client implements ReadTurns.Asker {
    private volatile boolean takesAnswers = true;
    private final Object owner;

    Client() {
      this.owner = this;
    }

    Client(String owner) {
      this.owner = owner;
    }

    @Override
    public Object owner() {
      return owner;
    }

    @Override
    public boolean takesAnswers() {
      return takesAnswers;
    }
  }

  @BeforeEach
  void holdUp() throws InterruptedException {
    CountDownLatch isHeld = new CountDownLatch(1);
    reads.execute(
        () -> {
          isHeld.countDown();
          await(mayBegin);
        });
    await(isHeld);
  }

  @AfterEach
  void close() throws IOException {
    mayBegin.countDown();
    reads.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void finish() throws IOException {
    mayBegin.countDown();
    reads.close();
  }

  private void ask(Client client, String name) {
    reads.execute(client, () -> done.add(name));
  }

  @Test
  void whoever_asks_for_much_waits_behind_one_read_of_each_other() throws IOException {
    ask(greedy, "g1");
    ask(greedy, "g2");
    ask(greedy, "g3");
    ask(modest, "m1");
    reads.execute(() -> done.add("alone"));
    finish();
    assertThat(done).containsExactly("g1", "m1", "alone", "g2", "g3");
  }

  @Test
  void an_owner_of_many_connections_has_one_turn_and_shares_it_between_them() throws IOException {
    Client crowd1 = new Client("crowd");
    Client crowd2 = new Client("crowd");
    ask(crowd1, "c1a");
    ask(crowd1, "c1b");
    ask(crowd2, "c2a");
    ask(crowd2, "c2b");
    ask(modest, "m1");
    ask(modest, "m2");
    ask(modest, "m3");
    finish();
    assertThat(done).containsExactly("c1a", "m1", "c2a", "m2", "c1b", "m3", "c2b");
  }

  @Test
  void a_connection_that_is_gone_takes_nothing_from_the_others_of_its_owner() throws IOException {
    Client crowd1 = new Client("crowd");
    Client crowd2 = new Client("crowd");
    ask(crowd1, "c1");
    ask(crowd2, "c2");
    ask(modest, "m1");
    reads.forget(crowd1);
    ask(crowd1, "c1 again");
    reads.forget(crowd2);
    finish();
    assertThat(done).containsExactly("c1 again", "m1");
  }

  @Test
  void nothing_is_read_for_a_client_that_takes_nothing_until_it_does() throws IOException {
    greedy.takesAnswers = false;
    CountDownLatch modestIsServed = new CountDownLatch(1);
    ask(greedy, "g1");
    ask(greedy, "g2");
    ask(modest, "m1");
    reads.execute(modest, modestIsServed::countDown);
    mayBegin.countDown();
    await(modestIsServed);
    assertThat(done).containsExactly("m1");
    assertThat(reads.waiting()).isEqualTo(2);
    greedy.takesAnswers = true;
    reads.wake(greedy);
    finish();
    assertThat(done).containsExactly("m1", "g1", "g2");
  }

  @Test
  void what_a_client_that_is_gone_asked_for_is_not_read() throws IOException {
    ask(greedy, "g1");
    ask(greedy, "g2");
    ask(modest, "m1");
    reads.forget(greedy);
    assertThat(reads.waiting()).isEqualTo(1);
    finish();
    assertThat(done).containsExactly("m1");
  }

  @Test
  void as_many_wait_as_allowed_and_one_more_is_refused() {
    for (int i = 0; i < WAITING_MAX; i++) {
      ask(greedy, "g" + i);
    }
    assertThatThrownBy(() -> ask(modest, "m1")).isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void a_read_that_fails_does_not_end_the_thread() throws IOException {
    reads.execute(
        modest,
        () -> {
          throw new StackOverflowError("of a read");
        });
    ask(modest, "m2");
    finish();
    assertThat(done).containsExactly("m2");
  }
}
