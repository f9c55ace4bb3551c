package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.Checkpoint;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WaitingCheckpointsTest {

  private final WaitingCheckpoints waiting = new WaitingCheckpoints();

  private CheckpointRequest add(int handle) {
    CheckpointRequest request =
        new CheckpointRequest(
            new Checkpoint(handle, 1, 1), new FakeSession(), new FakeSession.Outcome());
    waiting.add(request);
    return request;
  }

  @Test
  void the_oldest_checkpoint_of_each_other_channel_is_taken_along() {
    CheckpointRequest early = add(1);
    CheckpointRequest late = add(1);
    CheckpointRequest second = add(2);
    CheckpointRequest third = add(3);
    assertThat(waiting.takeWith(second)).containsExactly(second, early, third);
    assertThat(waiting.takeWith(early)).isEmpty();
    assertThat(waiting.takeWith(third)).isEmpty();
    assertThat(waiting.takeWith(late)).containsExactly(late);
  }

  @Test
  void no_more_checkpoints_than_the_limit_are_taken_together() {
    List<CheckpointRequest> all = new ArrayList<>();
    for (int i = 0; i <= WaitingCheckpoints.TOGETHER_MAX; i++) {
      all.add(add(i));
    }
    CheckpointRequest last = all.get(all.size() - 1);
    assertThat(waiting.takeWith(last)).hasSize(WaitingCheckpoints.TOGETHER_MAX).contains(last);
    CheckpointRequest left = all.get(all.size() - 2);
    assertThat(waiting.takeWith(left)).containsExactly(left);
  }

  /** Turns in any order, refusals between them: each checkpoint leaves once, and none stays. */
  @Test
  void each_checkpoint_is_taken_or_withdrawn_exactly_once() {
    Random chance = new Random(20261129);
    List<CheckpointRequest> turns = new ArrayList<>();
    Set<CheckpointRequest> gone = new LinkedHashSet<>();
    int added = 0;
    for (int i = 0; i < 20_000; i++) {
      if (chance.nextBoolean()) {
        turns.add(add(chance.nextInt(5)));
        added++;
      } else if (!turns.isEmpty()) {
        CheckpointRequest turn = turns.remove(chance.nextInt(turns.size()));
        if (chance.nextInt(10) == 0) {
          assertThat(waiting.withdraw(turn)).isEqualTo(gone.add(turn));
        } else {
          List<CheckpointRequest> taken = waiting.takeWith(turn);
          assertThat(taken.stream().map(one -> one.checkpoint().handle())).doesNotHaveDuplicates();
          taken.forEach(one -> assertThat(gone.add(one)).isTrue());
        }
        assertThat(gone).contains(turn);
      }
    }
    for (CheckpointRequest turn : turns) {
      gone.addAll(waiting.takeWith(turn));
    }
    assertThat(gone).hasSize(added);
  }
}
