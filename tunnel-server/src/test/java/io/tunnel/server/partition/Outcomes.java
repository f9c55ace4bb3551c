package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.WriteResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What became of one write, told once. */
public final class Outcomes implements PendingWrite.Outcome {

  private static final long DEADLINE_S = 30;

  private final CompletableFuture<WriteResult> result = new CompletableFuture<>();

  public static PendingWrite write(ChangeBatch batch, boolean isConditional, Outcomes outcome) {
    return new PendingWrite(batch, isConditional, ColumnSizes.of(batch), true, outcome);
  }

  @Override
  public void written(WriteResult written) {
    assertThat(result.complete(written)).as("told once").isTrue();
  }

  @Override
  public void refused(RefusedException reason) {
    assertThat(result.completeExceptionally(reason)).as("told once").isTrue();
  }

  /** Whether the write was written or refused. */
  public boolean isTold() {
    return result.isDone();
  }

  public WriteResult result() throws Exception {
    return result.get(DEADLINE_S, TimeUnit.SECONDS);
  }

  /** The refusal of a write that was refused. */
  public RefusedException refused() throws Exception {
    return result
        .handle((written, failure) -> (RefusedException) failure)
        .get(DEADLINE_S, TimeUnit.SECONDS);
  }

  /** Why it was refused; null when it was written. */
  public ErrorCode refusal() throws Exception {
    return result
        .handle((written, failure) -> failure == null ? null : ((RefusedException) failure).code())
        .get(DEADLINE_S, TimeUnit.SECONDS);
  }
}
