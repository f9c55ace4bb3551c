package io.tunnel.programs.bench.seeds;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A published load test as data.
 *
 * @param seed names it, such as 002
 * @param kind what its clients do
 * @param title what people read above it
 * @param publishedOn the hardware and software of the published figures
 * @param operations measured on each load, in this order
 * @param threads event loops of the server, one server each; empty for the server's default
 * @param times how long a case takes
 * @param loads the clients
 * @param columns figures that are told
 * @param published figures of the document
 */
record Workload(
    String seed,
    Kind kind,
    String title,
    String publishedOn,
    List<String> operations,
    List<Integer> threads,
    Times times,
    List<Load> loads,
    List<Figure> columns,
    List<Published> published) {

  /** Takes copies. */
  Workload {
    Objects.requireNonNull(kind, "kind");
    operations = List.copyOf(operations);
    threads = List.copyOf(threads);
    loads = List.copyOf(loads);
    columns = List.copyOf(columns);
    published = List.copyOf(published);
  }

  /** What clients do. */
  enum Kind {
    /** They send bytes, and wait until these are acknowledged or come back. */
    ECHO("echo"),
    /** They store names, and look them up. */
    REGISTRY("registry");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** As files name it. */
    String word() {
      return word;
    }

    /** The operations that it has. */
    List<String> operations() {
      return switch (this) {
        case ECHO -> List.of("acknowledge", "repeat");
        case REGISTRY -> List.of("register", "lookUp");
      };
    }
  }

  /**
   * Seconds of a case.
   *
   * @param warmUp not measured
   * @param measured of each operation; 0 where a load has a number of requests
   */
  record Times(int warmUp, int measured) {}

  /**
   * Clients of a case, each with one connection and one request at a time.
   *
   * @param clients how many
   * @param bytes of a message, or of a name
   * @param requests of all clients; 0 where the time ends a case
   * @param namesOfClient different names that each client registers, in turn; 0 without names
   */
  record Load(int clients, int bytes, int requests, int namesOfClient) {

    /** Clients and requests times {@code scale}; at least one of each. */
    Load scaled(double scale) {
      int fewer = (int) Math.max(1, Math.round(clients * scale));
      int less = requests == 0 ? 0 : (int) Math.max(fewer, Math.round(requests * scale));
      return new Load(fewer, bytes, less, namesOfClient);
    }

    /** Requests of one client; 0 where the time ends a case. */
    int requestsOfClient() {
      return requests == 0 ? 0 : Math.max(1, requests / clients);
    }
  }

  /**
   * Figures of the document for one case.
   *
   * @param operation what was measured
   * @param clients as the load has them, before it is scaled
   * @param threads of the server; empty for any number of threads
   */
  record Published(
      String operation, int clients, Optional<Integer> threads, Map<Figure, Double> figures) {

    /** Takes a copy. */
    Published {
      figures = Map.copyOf(figures);
    }
  }

  /** What the document says of a case. */
  Map<Figure, Double> published(String operation, Load load, Optional<Integer> threadCount) {
    return published.stream()
        .filter(each -> each.operation().equals(operation) && each.clients() == load.clients())
        .filter(each -> each.threads().isEmpty() || each.threads().equals(threadCount))
        .findFirst()
        .map(Published::figures)
        .orElse(Map.of());
  }

  /** The most connections of one case. */
  int clientsMax(double scale) {
    return loads.stream().mapToInt(load -> load.scaled(scale).clients()).max().orElse(0);
  }
}
