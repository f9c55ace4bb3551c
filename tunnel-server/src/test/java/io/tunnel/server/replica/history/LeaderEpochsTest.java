package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderEpochsTest {

  private static Stored record(long offset, int epoch) {
    return new Stored(
        offset, 0, new Entry(Kind.CHANGE, Bytes.EMPTY, 0, 1, Optional.empty()), epoch);
  }

  private static LeaderEpochs read(Stored... records) {
    LeaderEpochs epochs = LeaderEpochs.NONE;
    long expected = 0;
    for (Stored record : records) {
      epochs = epochs.read(expected, record);
      expected = record.offset() + 1;
    }
    return epochs;
  }

  @Test
  void incarnations_are_the_epochs_from_where_they_can_have_begun() {
    LeaderEpochs epochs =
        read(record(0, 0), record(1, 0), record(2, 4), record(9, 4), record(30, 7));
    assertThat(epochs.starts()).containsExactly(new Start(1, 0), new Start(5, 2), new Start(8, 10));
    assertThat(epochs.last()).isEqualTo(7);
    IncarnationHistory history = epochs.history();
    assertThat(history.sharedUpTo(1)).isEqualTo(1);
    assertThat(history.sharedUpTo(5)).as("who led between is not known").isEqualTo(9);
    assertThat(history.sharedUpTo(8)).isEqualTo(Long.MAX_VALUE);
    assertThat(history.sharedUpTo(6)).as("nothing of that leader is there").isEqualTo(9);
    assertThat(history.isBehind(8)).isFalse();
    assertThat(history.isBehind(9)).isTrue();
    assertThat(history.sharedUpTo(9)).as("a leader that wrote nothing").isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void what_was_seen_before_the_first_leader_that_is_known_need_not_be_there() {
    IncarnationHistory history = read(record(0, 4), record(1, 6)).history();
    assertThat(history.sharedUpTo(4)).isZero();
    assertThat(history.sharedUpTo(5)).isZero();
    assertThat(read(record(5, 4), record(6, 6)).history().sharedUpTo(5)).isEqualTo(5);
    assertThat(LeaderEpochs.NONE.history().sharedUpTo(1)).isZero();
  }

  @Test
  void a_record_of_an_earlier_leader_cannot_stand_behind_one_of_a_later() {
    LeaderEpochs epochs = read(record(0, 4));
    assertThat(epochs.contradicts(record(1, 3))).isTrue();
    assertThat(epochs.contradicts(record(1, 4))).isFalse();
    assertThat(epochs.contradicts(record(1, 5))).isFalse();
    assertThat(epochs.contradicts(record(1, Stored.NO_EPOCH))).isFalse();
  }

  @Test
  void a_log_that_does_not_say_who_led_it_has_no_incarnations() {
    LeaderEpochs epochs = read(record(0, Stored.NO_EPOCH), record(1, Stored.NO_EPOCH));
    assertThat(epochs).isEqualTo(LeaderEpochs.NONE);
    assertThat(epochs.last()).isEqualTo(Stored.NO_EPOCH);
    assertThat(epochs.history().newest()).isEmpty();
  }

  @Test
  void so_many_leaders_are_remembered() {
    LeaderEpochs epochs = LeaderEpochs.NONE;
    for (int i = 0; i <= IncarnationHistory.STARTS_MAX; i++) {
      epochs = epochs.read(i, record(i, i));
    }
    assertThat(epochs.starts()).hasSize(IncarnationHistory.STARTS_MAX);
    assertThat(epochs.history().sharedUpTo(1)).isZero();
    assertThat(epochs.starts()).first().isEqualTo(new Start(2, 0));
    assertThat(List.copyOf(epochs.starts())).last().isEqualTo(new Start(65, 64));
  }
}
