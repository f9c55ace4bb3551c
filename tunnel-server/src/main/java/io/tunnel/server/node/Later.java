package io.tunnel.server.node;

/** Runs an action after a time, on a thread that must not wait. */
@FunctionalInterface
interface Later {

  /**
   * Runs {@code action} in {@code ms} milliseconds.
   *
   * @return false when the node stops, and the action will not run
   */
  boolean after(long ms, Runnable action);
}
