package io.tunnel.server.channel;

import java.util.concurrent.atomic.AtomicInteger;

/** Gives channels names on connections, each unique on this server while its channel is held. */
public final class Handles {

  private final AtomicInteger last = new AtomicInteger();

  /** Takes the next name. Any thread. */
  public int take() {
    return last.incrementAndGet();
  }
}
