package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.Budget;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class OpenRequestsTest {

  private static final int MANY = 3;
  private static final int LARGE = OpenRequests.SMALL_BYTES_MAX;
  private static final long BUDGET = 10 * OpenRequests.OVERHEAD_BYTES + 2L * LARGE;

  private final Budget<Object> budget = new Budget<>(BUDGET);
  private final Budget<Object> waiting = new Budget<>(BUDGET / 2);
  private final FakePort port = new FakePort();
  private final Untaken.Account account =
      new Untaken(1 << 30, 32 << 20).open(why -> {}, () -> port.posted.add(this::next));
  private final OpenRequests requests = new OpenRequests(budget, waiting, account, MANY, port);

  private static final class FakePort implements OpenRequests.Port {
    private final List<Integer> served = new ArrayList<>();
    private final Deque<Frame> open = new ArrayDeque<>();
    private final List<Integer> busy = new ArrayList<>();
    private final Deque<Runnable> posted = new ArrayDeque<>();
    private final Set<Integer> oneByOne = new HashSet<>();
    private final Set<Integer> late = new HashSet<>();
    private boolean takesAnswers = true;
    private boolean isReading = true;

    @Override
    public boolean mayServe() {
      return takesAnswers;
    }

    @Override
    public boolean mayServe(Frame request, boolean isAlone) {
      if (late.contains(request.correlationId())) {
        throw new RefusedException(ErrorCode.BUSY, "has waited for too long");
      }
      return isAlone || !oneByOne.contains(request.correlationId());
    }

    @Override
    public void serve(Frame request) {
      served.add(request.correlationId());
      open.add(request);
    }

    @Override
    public void refuse(Frame request, RefusedException reason) {
      assertThat(reason.code()).isEqualTo(ErrorCode.BUSY);
      busy.add(request.correlationId());
    }

    @Override
    public void read(boolean isReadingNow) {
      isReading = isReadingNow;
    }

    @Override
    public void execute(Runnable action) {
      posted.add(action);
    }

    private void run() {
      while (!posted.isEmpty()) {
        posted.remove().run();
      }
    }
  }

  private void next() {
    requests.serveWaiting();
  }

  private static Frame request(int id, int payloadBytes) {
    return new Frame(20, FrameKind.REQUEST, id, new byte[payloadBytes]);
  }

  private void answer() {
    requests.answered(port.open.remove());
    port.run();
  }

  @Test
  void a_request_that_begins_alone_waits_for_the_others_and_later_ones_wait_behind_it() {
    port.oneByOne.add(2);
    requests.take(request(1, 10));
    requests.take(request(2, 10));
    requests.take(request(3, 10));
    assertThat(port.served).containsExactly(1);
    answer();
    assertThat(port.served).containsExactly(1, 2, 3);
    answer();
    answer();
    assertThat(requests.areNone()).isTrue();
    assertThat(port.isReading).isTrue();
  }

  @Test
  void a_request_that_has_waited_for_too_long_is_refused_and_later_ones_are_served() {
    port.late.addAll(Set.of(1, 3));
    requests.take(request(1, LARGE));
    requests.take(request(2, 0));
    requests.take(request(3, 0));
    requests.take(request(4, 0));
    assertThat(port.busy).containsExactly(1, 3);
    assertThat(port.served).containsExactly(2, 4);
    assertThat(port.isReading).isTrue();
    answer();
    answer();
    assertThat(budget.taken()).isZero();
    assertThat(requests.areNone()).isTrue();
  }

  @Test
  void as_many_as_allowed_are_served_at_a_time_and_nothing_is_read_meanwhile() {
    for (int id = 1; id <= MANY; id++) {
      requests.take(request(id, 0));
    }
    assertThat(port.isReading).isTrue();
    requests.take(request(4, 0));
    requests.take(request(5, 0));
    assertThat(port.served).containsExactly(1, 2, 3);
    assertThat(port.isReading).isFalse();
    answer();
    assertThat(port.served).containsExactly(1, 2, 3, 4);
    assertThat(port.isReading).isFalse();
    answer();
    assertThat(port.served).containsExactly(1, 2, 3, 4, 5);
    assertThat(port.isReading).isTrue();
    answer();
    answer();
    answer();
    assertThat(requests.areNone()).isTrue();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void nothing_is_begun_for_a_client_that_does_not_take_its_answers() {
    port.takesAnswers = false;
    requests.take(request(1, 0));
    assertThat(port.served).isEmpty();
    assertThat(port.isReading).isFalse();
    port.takesAnswers = true;
    requests.serveWaiting();
    assertThat(port.served).containsExactly(1);
    assertThat(port.isReading).isTrue();
  }

  @Test
  void
      a_large_request_is_refused_when_others_have_taken_the_budget_and_a_small_one_is_still_served() {
    assertThat(budget.tryTake(BUDGET, true)).isTrue();
    requests.take(request(1, LARGE));
    assertThat(port.busy).containsExactly(1);
    requests.take(request(2, 0));
    requests.take(request(3, 0));
    assertThat(port.served).as("one at a time").containsExactly(2);
    answer();
    assertThat(port.served).containsExactly(2, 3);
    budget.give(BUDGET);
    answer();
    requests.take(request(4, LARGE));
    assertThat(port.served).containsExactly(2, 3, 4);
    answer();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void answers_that_may_be_large_are_made_while_they_fit_beside_each_other_and_none_is_forgotten() {
    for (int id = 1; id <= MANY; id++) {
      requests.take(new Frame(Operation.PARTITION_MAP, FrameKind.REQUEST, id, new byte[0]));
    }
    assertThat(port.served).as("each may have a frame, and 15 MiB stay").containsExactly(1, 2);
    assertThat(port.isReading).isFalse();
    answer();
    assertThat(port.served).containsExactly(1, 2, 3);
    assertThat(port.isReading).isTrue();
    account.given(17 << 20);
    answer();
    answer();
    requests.take(new Frame(Operation.PARTITION_MAP, FrameKind.REQUEST, 4, new byte[0]));
    assertThat(port.served).as("while so much is not taken").containsExactly(1, 2, 3);
    account.taken(17 << 20);
    port.run();
    assertThat(port.served).containsExactly(1, 2, 3, 4);
  }

  @Test
  void requests_that_wait_count_together_and_each_connection_may_have_one_that_waits() {
    port.takesAnswers = false;
    long each = OpenRequests.OVERHEAD_BYTES + 1_000;
    int queued = (int) (BUDGET / 2 / each);
    for (int id = 0; id <= queued; id++) {
      requests.take(request(id, 1_000));
    }
    assertThat(port.busy).isEmpty();
    assertThat(waiting.taken()).as("all but the first").isEqualTo(queued * each);
    requests.take(request(1_000, 1_000));
    assertThat(port.busy).containsExactly(1_000);
    FakePort otherPort = new FakePort();
    otherPort.takesAnswers = false;
    OpenRequests other = new OpenRequests(budget, waiting, account, MANY, otherPort);
    other.take(request(1, 1_000));
    assertThat(otherPort.busy).isEmpty();
    other.take(request(2, 1_000));
    assertThat(otherPort.busy).containsExactly(2);
    other.close(() -> {});
    port.takesAnswers = true;
    requests.serveWaiting();
    while (!port.open.isEmpty()) {
      answer();
    }
    assertThat(port.served).hasSize(queued + 1);
    assertThat(waiting.taken()).isZero();
    assertThat(budget.taken()).isZero();
  }

  @Test
  void what_waits_when_the_connection_goes_is_dropped_and_given_back() {
    port.takesAnswers = false;
    requests.take(request(1, LARGE));
    requests.take(request(2, 0));
    assertThat(budget.taken()).isEqualTo(LARGE + OpenRequests.OVERHEAD_BYTES);
    assertThat(waiting.taken()).isEqualTo(OpenRequests.OVERHEAD_BYTES);
    requests.close(() -> port.served.add(0));
    assertThat(budget.taken()).isZero();
    assertThat(waiting.taken()).isZero();
    assertThat(requests.areNone()).isTrue();
    assertThat(port.served).as("told at once").containsExactly(0);
  }

  @Test
  void behind_an_undecided_request_others_wait_for_the_decision_and_not_for_the_answer() {
    requests.take(request(1, 0));
    requests.hold();
    requests.take(request(2, 0));
    requests.take(request(3, 0));
    assertThat(port.served).containsExactly(1);
    assertThat(port.isReading).isFalse();
    requests.decided();
    assertThat(port.served).as("before the event loop hears of it").containsExactly(1);
    port.run();
    assertThat(port.served).containsExactly(1, 2, 3);
    assertThat(port.isReading).isTrue();
  }

  @Test
  void an_answer_before_the_decision_lets_nothing_begin() {
    requests.take(request(1, 0));
    requests.hold();
    requests.take(request(2, 0));
    answer();
    assertThat(port.served).containsExactly(1);
    requests.decided();
    port.run();
    assertThat(port.served).containsExactly(1, 2);
  }

  @Test
  void the_end_of_a_connection_comes_behind_its_undecided_request() {
    requests.take(request(1, 0));
    requests.hold();
    requests.take(request(2, 0));
    requests.close(() -> port.served.add(0));
    assertThat(port.served).containsExactly(1);
    answer();
    requests.decided();
    port.run();
    assertThat(port.served).containsExactly(1, 0);
    assertThat(budget.taken()).isZero();
  }
}
