package io.tunnel.server.net;

/** What all connections of a server share. */
record NetBudgets(
    NetLimits limits,
    PartialFrames partial,
    OpenRequests.Budget requests,
    Untaken untaken,
    Places places) {

  /** Budgets of which nothing is taken. */
  static NetBudgets of(NetLimits limits, int connectionsMax) {
    return new NetBudgets(
        limits,
        new PartialFrames(limits.partialBytesMax()),
        new OpenRequests.Budget(limits.requestBytesMax()),
        new Untaken(limits.answerBytesMax()),
        new Places(connectionsMax));
  }
}
