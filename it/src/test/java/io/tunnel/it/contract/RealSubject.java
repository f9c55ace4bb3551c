package io.tunnel.it.contract;

/** Something real that listens at a port, whose clock goes by itself, for many tests in turn. */
record RealSubject(int port) implements Subject {

  @Override
  public void letLeaseEnd() {
    // Its clock is real.
  }

  @Override
  public long nowMs() {
    return System.currentTimeMillis();
  }

  @Override
  public void awaitTime(long ms) {
    // Its clock is real.
  }

  @Override
  public void expectMisconduct() {
    // It only refuses.
  }

  @Override
  public void close() {
    // It serves the next test.
  }
}
