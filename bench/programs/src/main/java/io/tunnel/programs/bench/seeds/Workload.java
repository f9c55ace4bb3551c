package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.programs.bench.seeds.queue.MessageCase.Way;
import java.util.ArrayList;
import java.util.Arrays;
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
 * @param publishedOn the hardware and software of the published figures; there if any figures are
 * @param operations measured on each load, in this order
 * @param steps the requests of each operation of a mix; empty for all other kinds
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
    Optional<String> publishedOn,
    List<String> operations,
    Map<String, List<MixStep>> steps,
    List<Integer> threads,
    Times times,
    List<Load> loads,
    List<Figure> columns,
    List<Published> published) {

  /** Takes copies. */
  Workload {
    Objects.requireNonNull(kind, "kind");
    operations = List.copyOf(operations);
    steps = Map.copyOf(steps);
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
    REGISTRY("registry"),
    /** They send messages to queues and topics, and others receive them. */
    QUEUE("queue"),
    /** They work on rows, with several requests an operation. */
    MIX("mix"),
    /** They create, set and delete paths, and others follow these. */
    PUBLISH("publish"),
    /** They open a connection for two requests, and close it, on several paths to a server. */
    ACCESS("access");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** As files name it. */
    String word() {
      return word;
    }

    /** The operations that it has; none where a file names its own. */
    List<String> operations() {
      return switch (this) {
        case MIX -> List.of();
        case ACCESS -> AccessPath.words();
        case ECHO -> List.of("acknowledge", "repeat");
        case REGISTRY -> List.of("register", "lookUp");
        case PUBLISH -> Arrays.stream(Action.values()).map(Action::word).toList();
        case QUEUE -> {
          List<String> all = new ArrayList<>(Way.OF_QUEUES);
          all.addAll(Way.OF_TOPICS);
          yield all;
        }
      };
    }
  }

  /**
   * Seconds of a case.
   *
   * @param warmUp not measured
   * @param measured of each operation; 0 where a load has a number of requests
   */
  record Times(int warmUp, int measured) {

    /** Seconds that let servers compile what they run, and find a rate. */
    private static final int MEASURED_MIN = 3;

    /** These seconds times {@code scale}; at least 1 of a warm-up, and 3 measured. */
    Times scaled(double scale) {
      return new Times(
          Math.min(warmUp, times(warmUp, scale)),
          Math.min(measured, Math.max(MEASURED_MIN, times(measured, scale))));
    }
  }

  /**
   * Clients of a case. Except of queues, each has one connection and one request at a time.
   *
   * @param clients how many; of queues the senders, of paths the publishers
   * @param bytes of a message, of a name, of a row, or of a path's data
   * @param requests of all clients; 0 where the time ends a case
   * @param namesOfClient different names that each client registers, in turn; 0 without names
   * @param rowsBefore rows that are there before the first operation; of a mix alone
   * @param parties who sends and receives; of queues alone
   * @param servers nodes of a cluster; 1 for a server alone
   * @param audience who follows paths; of publishers alone
   */
  record Load(
      int clients,
      int bytes,
      int requests,
      int namesOfClient,
      Optional<Integer> rowsBefore,
      Optional<Parties> parties,
      int servers,
      Optional<Audience> audience) {

    /** Rounds requests up, to the same number of each client. */
    Load {
      requests = (requests + clients - 1) / clients * clients;
    }

    /** A load of a server alone. */
    Load(
        int clients,
        int bytes,
        int requests,
        int namesOfClient,
        Optional<Integer> rowsBefore,
        Optional<Parties> parties) {
      this(clients, bytes, requests, namesOfClient, rowsBefore, parties, 1, Optional.empty());
    }

    /** A load without queues, without rows from before and without paths. */
    Load(int clients, int bytes, int requests, int namesOfClient) {
      this(clients, bytes, requests, namesOfClient, Optional.empty(), Optional.empty());
    }

    /** Clients, requests and rows from before times {@code scale}; at least one of each. */
    Load scaled(double scale) {
      int fewer = times(clients, scale);
      int less = requests == 0 ? 0 : (int) Math.max(fewer, Math.round(requests * scale));
      return new Load(
          fewer,
          bytes,
          less,
          namesOfClient,
          rowsBefore.map(rows -> times(rows, scale)),
          parties.map(each -> each.scaled(fewer, scale)),
          servers,
          audience);
    }

    /** Connections of all clients. */
    int connections() {
      return parties
          .map(Parties::allConnections)
          .orElse(clients * audience.map(each -> 1 + each.subscribers()).orElse(1));
    }

    /** Rows that the load makes before or with its requests. */
    long rows() {
      return (long) requests
          + rowsBefore.orElse(0)
          + audience.map(each -> (long) clients * each.pathsOfPublisher()).orElse(0L);
    }

    /** Requests of one client; 0 where the time ends a case. */
    int requestsOfClient() {
      return requests / clients;
    }
  }

  /**
   * Who follows the paths of publishers.
   *
   * @param subscribersOfPath connections that follow each path, where an operation has subscribers
   * @param pathsOfPublisher different paths of each publisher
   * @param operations measured on this load
   */
  record Audience(int subscribersOfPath, int pathsOfPublisher, List<String> operations) {

    /** Takes a copy. */
    Audience {
      operations = List.copyOf(operations);
    }

    /** Subscribers of one publisher. */
    int subscribers() {
      return operations.stream().anyMatch(each -> Action.named(each).hasSubscribers())
          ? subscribersOfPath
          : 0;
    }
  }

  private static int times(int count, double scale) {
    return (int) Math.max(1, Math.round(count * scale));
  }

  /**
   * Who receives from queues or topics, beside the senders.
   *
   * @param receivers of all destinations together
   * @param connections that the senders share, and as many again that the receivers share
   * @param destinations queues or topics
   * @param isTopic whether they are topics
   * @param operations measured on this load
   */
  record Parties(
      int receivers, int connections, int destinations, boolean isTopic, List<String> operations) {

    /** Takes a copy. */
    Parties {
      operations = List.copyOf(operations);
    }

    private Parties scaled(int senders, double scale) {
      int fewer = times(receivers, scale);
      return new Parties(
          fewer,
          times(connections, scale),
          Math.min(times(destinations, scale), Math.min(senders, fewer)),
          isTopic,
          operations);
    }

    /** A subscriber of this service has a connection of its own. */
    private int allConnections() {
      return 2 * connections + receivers;
    }
  }

  /**
   * Figures of the document for one case.
   *
   * @param operation what was measured
   * @param clients as the load has them, before it is scaled
   * @param threads of the server; empty for any number of threads
   * @param bytes of a message; empty for any number of bytes
   * @param rowsBefore as the load has them; empty for any number
   * @param servers as the load has them; empty for any number
   */
  record Published(
      String operation,
      int clients,
      Optional<Integer> threads,
      Optional<Integer> bytes,
      Optional<Integer> rowsBefore,
      Optional<Integer> servers,
      Map<Figure, Double> figures) {

    /** Takes a copy. */
    Published {
      figures = Map.copyOf(figures);
    }
  }

  /** The operations of a load, in the order of the run. */
  List<String> operations(Load load) {
    return load.parties()
        .map(Parties::operations)
        .or(() -> load.audience().map(Audience::operations))
        .orElse(operations);
  }

  /** This workload with other times. */
  Workload with(Times other) {
    return with(threads, other);
  }

  /** This workload for a server of the user, who has chosen the number of event loops. */
  Workload withoutThreads() {
    return with(List.of(), times);
  }

  private Workload with(List<Integer> otherThreads, Times otherTimes) {
    return new Workload(
        seed,
        kind,
        title,
        publishedOn,
        operations,
        steps,
        otherThreads,
        otherTimes,
        loads,
        columns,
        published);
  }

  /** What the document says of a case. */
  Map<Figure, Double> published(String operation, Load load, Optional<Integer> threadCount) {
    return published.stream()
        .filter(each -> each.operation().equals(operation) && each.clients() == load.clients())
        .filter(each -> each.threads().isEmpty() || each.threads().equals(threadCount))
        .filter(each -> each.bytes().orElse(load.bytes()) == load.bytes())
        .filter(each -> each.servers().orElse(load.servers()) == load.servers())
        .filter(each -> each.rowsBefore().isEmpty() || each.rowsBefore().equals(load.rowsBefore()))
        .findFirst()
        .map(Published::figures)
        .orElse(Map.of());
  }

  /** The most connections of one case. */
  int connectionsMax(double scale) {
    return loads.stream().mapToInt(load -> load.scaled(scale).connections()).max().orElse(0);
  }
}
