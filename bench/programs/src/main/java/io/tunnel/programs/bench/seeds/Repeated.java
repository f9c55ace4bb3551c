package io.tunnel.programs.bench.seeds;

import java.util.Optional;

/** The first requests of each client again and again, so that a warm-up leaves no other rows. */
record Repeated(Requests requests, int requestsOfClient) implements Requests {

  @Override
  public String name() {
    return requests.name();
  }

  @Override
  public byte[] payload(int client, long request) {
    return requests.payload(client, request % requestsOfClient);
  }

  @Override
  public Optional<String> wrong(byte[] answer) {
    return requests.wrong(answer);
  }
}
