package io.tunnel.programs.bench.seeds;

import java.util.Optional;

/** The first requests of each client again and again, so that a warm-up leaves no other rows. */
record Repeated(Requests requests, int requestsOfClient) implements Requests {

  @Override
  public int ofOperation() {
    return requests.ofOperation();
  }

  @Override
  public String name(long request) {
    return requests.name(request);
  }

  @Override
  public byte[] payload(int client, long request) {
    return requests.payload(client, request % requestsOfClient);
  }

  @Override
  public Optional<String> wrong(long request, byte[] answer) {
    return requests.wrong(request, answer);
  }
}
