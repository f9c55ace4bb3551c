package io.tunnel.programs.bench.seeds;

import java.util.Optional;

/** What the clients of a run ask. For several threads. */
interface Requests {

  /** The operation, as its protocol names it. */
  String name();

  /** The payload of a client's request, by the number of the client and of the request. */
  byte[] payload(int client, long request);

  /** What is wrong with an answer; empty when it is right. */
  Optional<String> wrong(byte[] answer);
}
