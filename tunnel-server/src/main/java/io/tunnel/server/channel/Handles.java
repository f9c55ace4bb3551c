package io.tunnel.server.channel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Names channels on connections: no two channels of a server have one name while both are held, in
 * whatever way they are delivered.
 */
public final class Handles {

  private final AtomicInteger last = new AtomicInteger();

  /** The next name. May be called by any thread. */
  public int next() {
    return last.incrementAndGet();
  }
}
