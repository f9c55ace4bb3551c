package io.tunnel.server.node;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Stops a node whose engine does not serve the form of the cluster's log. A node refuses such a
 * cluster at the start; this watch is for a node that began before the cluster was founded. The
 * control thread looks.
 */
final class FormWatch {

  private final Supplier<Optional<String>> objection;
  private final Consumer<String> stop;
  private boolean isStopped;

  /**
   * Watches the form in the catalog.
   *
   * @param objection why this node must not use the cluster, as far as the catalog was read
   * @param stop stops this node for good, with a message for the operator
   */
  FormWatch(Supplier<Optional<String>> objection, Consumer<String> stop) {
    this.objection = objection;
    this.stop = stop;
  }

  /** Whether the cluster has another form, so that this node may not lead anything. */
  boolean isOther() {
    return objection.get().isPresent();
  }

  void look() {
    Optional<String> reason = objection.get();
    if (reason.isPresent() && !isStopped) {
      isStopped = true;
      stop.accept(reason.get());
    }
  }
}
