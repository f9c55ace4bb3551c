package io.tunnel.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the task sees while the SDK's thread tells the last outcome. */
class OutcomesTest {

  private static final int ROUNDS = 30_000;

  /** The task looks again and again; a race that is lost once in a thousand rounds is lost here. */
  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"IN_DOUBT", "NOT_SENT", "REJECTED"})
  void a_flush_is_never_over_while_the_last_row_is_not_applied(Outcome outcome) throws Exception {
    FakeTask task = new FakeTask();
    RowResult result =
        new RowResult(outcome, 1, -1, Optional.of(ErrorCode.INTERNAL), "as a test says");
    ExecutorService sdk = Executors.newSingleThreadExecutor();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        Outcomes outcomes = new Outcomes(RejectedRows.FAIL, task.metricGroup());
        Doorbell bell = new Doorbell(task, () -> true);
        bell.close();
        outcomes.wakes(bell);
        outcomes.expect();
        Future<?> told = sdk.submit(() -> outcomes.completed(Model.put(1, "c", 1), result));
        while (outcomes.undecided() > 0) {
          assertThat(outcomes.areAllSettled()).as("round %d", round).isFalse();
        }
        assertThat(outcomes.areAllSettled()).as("round %d", round).isFalse();
        told.get();
      }
    } finally {
      sdk.shutdownNow();
    }
  }
}
