package io.tunnel.server.session;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import java.util.concurrent.Executor;

/**
 * The tunnels of one store, with their catalog, coordinator and operators. These three belong to
 * the host's control thread; all other methods are for any thread.
 */
public final class TunnelHost {

  private final TunnelCatalog catalog;
  private final Coordinator coordinator;
  private final Operators operators;
  private final Executor control;

  /** Checkpoints that wait; event loops add them, the control thread takes them. */
  private final WaitingCheckpoints checkpoints = new WaitingCheckpoints();

  /** A host whose parts belong to the thread of {@code control}. */
  public TunnelHost(
      TunnelCatalog catalog, Coordinator coordinator, Operators operators, Executor control) {
    this.catalog = catalog;
    this.coordinator = coordinator;
    this.operators = operators;
    this.control = control;
  }

  /** The tunnels. */
  public TunnelCatalog catalog() {
    return catalog;
  }

  /** Runs the tunnels for sessions. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** Serves operators. */
  public Operators operators() {
    return operators;
  }

  /** The control thread. */
  public Executor control() {
    return control;
  }

  /** Runs a task on the control thread, or else a refusal. */
  @FunctionalInterface
  public interface Turn {
    /** Runs one of the two, now or later. */
    void take(Executor control, Runnable store, Runnable refusal);
  }

  /**
   * Stores a checkpoint, soon. Each checkpoint has a turn. A turn stores all checkpoints that wait,
   * so the later turns of these checkpoints have nothing to do, and a heartbeat after them waits
   * for one write. A checkpoint may overtake earlier unanswered requests that wait for the control
   * thread.
   */
  public void checkpoint(CheckpointRequest request, Turn turn) {
    checkpoints.add(request);
    turn.take(
        control,
        () -> coordinator.checkpoint(checkpoints.takeWith(request)),
        () -> {
          if (checkpoints.withdraw(request)) {
            request
                .answer()
                .refused(
                    new RefusedException(
                        ErrorCode.BUSY, "too many requests wait; try again later"));
          }
        });
  }
}
