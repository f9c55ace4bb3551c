package io.tunnel.server.channel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Names channels on connections, whoever delivers them: no two channels of a server have the same
 * name while both are held.
 */
public final class Handles {

  private final AtomicInteger last = new AtomicInteger();

  /** The next name. May be called by any thread. */
  public int next() {
    return last.incrementAndGet();
  }
}
