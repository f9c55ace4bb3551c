package io.tunnel.programs.bench.seeds;

import java.util.Optional;

/** What the clients of a run ask. A client numbers its requests from 0. For several threads. */
interface Requests {

  /**
   * Requests that make one operation: an operation takes from its first request to its last answer.
   */
  default int ofOperation() {
    return 1;
  }

  /** What a request is, as its protocol names it. */
  String name(long request);

  /** The payload of a client's request, by the number of the client and of the request. */
  byte[] payload(int client, long request);

  /** What is wrong with the answer to a request; empty when it is right. */
  Optional<String> wrong(long request, byte[] answer);
}
