package io.tunnel.it.contract;

/** What a contract is kept by: the real server, or the fake that users test against. */
interface Subject extends AutoCloseable {

  /** The port on the loopback address on which it is reached. */
  int port();

  /** Lets a lease of a second end, if that does not happen by itself. */
  void letLeaseEnd();

  /** The time of the subject, in milliseconds since 1970. */
  long nowMs();

  /** Lets that time come, if it does not by itself; workers are heard meanwhile. */
  void awaitTime(long ms);

  /**
   * Clients will send requests that correct clients never send, and the test looks at the refusals.
   */
  void expectMisconduct();

  @Override
  void close();
}
