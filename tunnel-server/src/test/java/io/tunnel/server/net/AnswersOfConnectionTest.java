package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.NetMeter.Farewell;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one connection may have in memory. */
final class AnswersOfConnectionTest {

  private static final int MAX = 32 << 20;

  private final List<Farewell> closed = new ArrayList<>();
  private int woken;
  private final Untaken untaken = new Untaken(1L << 30, MAX);
  private final Untaken.Account account = untaken.open(closed::add, () -> woken++);
  private final Untaken.Account other = untaken.open(closed::add, () -> {});

  private static int needed(Untaken.AnswerKind answer) {
    return answer.bytesMax() + answer.leftBytes();
  }

  @Test
  void an_answer_is_promised_when_it_fits_at_its_largest_and_not_with_one_byte_more() {
    for (Untaken.AnswerKind answer : Untaken.AnswerKind.values()) {
      woken = 0;
      account.given(MAX - needed(answer));
      assertThat(account.promise(answer)).as("%s", answer).isTrue();
      account.giveBack(answer);
      account.given(1);
      assertThat(account.promise(answer)).as("%s and one byte", answer).isFalse();
      account.taken(MAX - needed(answer) + 1);
      assertThat(woken).isEqualTo(1);
    }
    assertThat(closed).isEmpty();
    assertThat(untaken.bytes()).isZero();
  }

  @Test
  void as_many_reads_are_promised_as_there_are_threads_and_one_of_the_deliveries_beside_them() {
    for (int i = 0; i < 3; i++) {
      assertThat(account.promise(Untaken.AnswerKind.ROWS)).isTrue();
    }
    assertThat(account.promise(Untaken.AnswerKind.ROWS)).isFalse();
    assertThat(account.promise(Untaken.AnswerKind.BASE_PAGE)).isFalse();
    assertThat(account.promise(Untaken.AnswerKind.DESCRIPTION)).isFalse();
    assertThat(account.hasRoom(Untaken.AnswerKind.DELIVERY)).isTrue();
    assertThat(other.promise(Untaken.AnswerKind.ROWS)).as("of another connection").isTrue();
  }

  @Test
  void descriptions_and_base_pages_leave_room_for_a_read() {
    while (account.promise(Untaken.AnswerKind.DESCRIPTION)
        || account.promise(Untaken.AnswerKind.BASE_PAGE)) {
      assertThat(account.hasRoom(Untaken.AnswerKind.ROWS)).isTrue();
    }
    assertThat(account.hasRoom(Untaken.AnswerKind.ROWS)).isTrue();
  }

  @Test
  void who_waits_for_room_is_woken_once_and_only_when_there_is() {
    account.given(MAX);
    assertThat(account.promise(Untaken.AnswerKind.ROWS)).isFalse();
    assertThat(account.hasRoom(Untaken.AnswerKind.DELIVERY)).isFalse();
    account.taken(Untaken.AnswerKind.DELIVERY.bytesMax() - 1);
    assertThat(woken).isZero();
    account.taken(1);
    assertThat(woken).isEqualTo(1);
    account.taken(1 << 20);
    assertThat(woken).as("who did not ask again waits for nothing").isEqualTo(1);
  }

  @Test
  void who_is_promised_only_now_is_not_woken() {
    account.given(MAX);
    assertThat(account.promiseNow(Untaken.AnswerKind.BASE_PAGE)).isFalse();
    account.taken(MAX);
    assertThat(woken).isZero();
    assertThat(account.promiseNow(Untaken.AnswerKind.BASE_PAGE)).isTrue();
  }

  @Test
  void small_answers_that_come_to_more_than_the_limit_end_the_connection_and_no_other() {
    other.given(MAX);
    account.given(MAX);
    assertThat(closed).isEmpty();
    account.given(1);
    assertThat(closed).containsExactly(Farewell.OWN_ANSWERS_UNTAKEN);
    assertThat(untaken.bytes()).isEqualTo(MAX);
    account.given(100);
    account.taken(MAX);
    assertThat(untaken.bytes()).as("it was settled before").isEqualTo(MAX);
    assertThat(account.promise(Untaken.AnswerKind.ROWS)).as("of one that is gone").isTrue();
    assertThat(woken).isZero();
  }
}
