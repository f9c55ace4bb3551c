package io.tunnel.server.channel;

import java.util.concurrent.atomic.AtomicInteger;

/** Gives channels names on connections, each unique on this server while its channel is held. */
public final class Handles {

  private final AtomicInteger last = new AtomicInteger();

  /** The next name. Any thread. */
  public int next() {
    return last.incrementAndGet();
  }
}
