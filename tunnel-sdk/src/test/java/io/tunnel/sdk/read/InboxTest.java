package io.tunnel.sdk.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.ReadStart;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InboxTest {

  private final Inbox inbox = new Inbox();

  private static Received of(int partition, long feed) {
    return new Received(
        feed,
        ReadStart.changes(partition, 0),
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private void requireFailure(String message) {
    assertThatThrownBy(() -> inbox.take(0)).hasMessageContaining(message);
  }

  @Test
  void a_failure_comes_behind_what_was_received_before_and_nothing_comes_behind_the_failure()
      throws InterruptedException {
    inbox.put(of(1, 10));
    inbox.put(of(2, 20));
    inbox.fail(new IllegalStateException("gone"));
    inbox.put(of(2, 21));
    inbox.fail(new IllegalStateException("another"));
    assertThat(inbox.take(0)).contains(of(1, 10));
    assertThat(inbox.take(0)).contains(of(2, 20));
    requireFailure("gone");
    requireFailure("gone");
  }

  @Test
  void a_paused_partition_does_not_hide_a_failure() throws InterruptedException {
    inbox.pause(1);
    inbox.put(of(1, 10));
    inbox.fail(new IllegalStateException("gone"));
    requireFailure("gone");
    inbox.resume(1);
    assertThat(inbox.take(0)).as("what was received before").contains(of(1, 10));
    requireFailure("gone");
  }

  @Test
  void an_inbox_that_is_closed_drops_what_nobody_took() {
    inbox.put(of(1, 10));
    inbox.close(new IllegalStateException("closed"));
    requireFailure("closed");
  }
}
