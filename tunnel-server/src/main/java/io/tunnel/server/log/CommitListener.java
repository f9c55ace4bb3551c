package io.tunnel.server.log;

/**
 * Is told that a partition has new committed changes, on the thread that committed them: it must
 * only pass it on.
 */
@FunctionalInterface
public interface CommitListener {

  /** Everything up to {@code position} is committed. */
  void committed(int partition, long position);
}
