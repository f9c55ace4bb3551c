package io.tunnel.it.sim.rights;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One request of the administrator, asked for again until it is done, or refused for good. When
 * nobody knows what came of an attempt, that may still be on its way and undo what is done next; so
 * the answer is told when no attempt can arrive any more.
 */
public final class Asking {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Nothing is stalled or stopped for longer. */
  private static final long UNDER_WAY_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

  private final Port port;
  private final Operation operation;
  private final byte[] payload;
  private final Consumer<Optional<Frame>> then;
  private Optional<RefusedException> refused = Optional.empty();
  private boolean isInDoubt;

  /** Where it is asked. */
  public interface Port {
    /** Asks once; the refusal before may say who decides. */
    CompletableFuture<Frame> ask(
        Operation operation, byte[] payload, Optional<RefusedException> refused);

    /** Does something on the administrator's thread, later. */
    void later(long nanos, Runnable action);
  }

  private Asking(Port port, Operation operation, byte[] payload, Consumer<Optional<Frame>> then) {
    this.port = port;
    this.operation = operation;
    this.payload = payload;
    this.then = then;
  }

  /** Tells the answer, or that it was refused for good. */
  static void ask(Port port, Operation operation, Control request, Consumer<Optional<Frame>> then) {
    new Asking(port, operation, Json.encode(request), then).again();
  }

  private void again() {
    var unused =
        port.ask(operation, payload, refused)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    tell(Optional.of(answer));
                  } else {
                    failed(failure instanceof CompletionException ? failure.getCause() : failure);
                  }
                });
  }

  private void failed(Throwable cause) {
    refused = cause instanceof RefusedException one ? Optional.of(one) : Optional.empty();
    if (refused.filter(one -> one.code() == ErrorCode.INVALID_REQUEST).isPresent()) {
      tell(Optional.empty());
    } else {
      isInDoubt |= refused.filter(RefusedException::retriable).isEmpty();
      port.later(PAUSE_NANOS, this::again);
    }
  }

  private void tell(Optional<Frame> answer) {
    if (isInDoubt) {
      port.later(UNDER_WAY_NANOS_MAX, () -> then.accept(answer));
    } else {
      then.accept(answer);
    }
  }
}
