package io.tunnel.server.session;

import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Tunnels that are kept in one store, with what runs them. Catalog, coordinator and operators are
 * for the host's control thread; the rest is for any.
 */
public final class TunnelHost {

  private final TunnelCatalog catalog;
  private final Coordinator coordinator;
  private final Operators operators;
  private final Executor control;

  /** Those that are not answered yet; filled by event loops, emptied by the control thread. */
  private final Queue<CheckpointRequest> checkpoints = new ConcurrentLinkedQueue<>();

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

  /** Who runs them. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** What operators do to them. */
  public Operators operators() {
    return operators;
  }

  /** The thread that they belong to. */
  public Executor control() {
    return control;
  }

  /**
   * Stores progress, soon. Each call posts one task, which stores all that wait by then: a
   * checkpoint may overtake other requests that wait for the control thread, but none that was
   * answered.
   *
   * @throws RejectedExecutionException when it will not be stored; its answer is not told then
   */
  public void checkpoint(CheckpointRequest request) {
    checkpoints.add(request);
    try {
      control.execute(() -> coordinator.checkpoint(checkpoints));
    } catch (RejectedExecutionException e) {
      if (checkpoints.remove(request)) {
        throw e;
      }
    }
  }
}
