package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.Workload.Published;
import io.tunnel.programs.bench.seeds.Workload.Times;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the workloads of this program and of its users. */
final class WorkloadFile {

  /** The seeds that lie in this program. */
  static final List<String> OWN =
      List.of(
          "000",
          "002",
          "003",
          "004",
          "004paths",
          "004tiers",
          "004flow",
          "004form",
          "004permissions");

  /** Bytes of a file. */
  static final int BYTES_MAX = 1 << 20;

  static final int CLIENTS_MAX = 10_000;
  static final int REQUESTS_MAX = 10_000_000;
  static final int SECONDS_MAX = 600;
  static final int THREADS_MAX = 256;

  /** Each is a process. */
  static final int SERVERS_MAX = 5;

  static final String SERVERS = "servers";
  private static final String PUBLISHED = "published";
  private static final String PUBLISHED_ON = "publishedOn";
  private static final int LIST_MAX = 100;
  private static final int PUBLISHED_MAX = 1_000;
  private static final int ECHO_BYTES_MAX = 64 * 1024;

  /** Bytes of a STRING in a key. */
  private static final int NAME_BYTES_MAX = 1_024;

  /** A name says its client and its number. */
  private static final int NAME_BYTES_MIN = 24;

  private static final Set<String> MEMBERS =
      Set.of(
          "seed",
          "kind",
          "title",
          PUBLISHED_ON,
          "operations",
          MixLoads.STEPS,
          "threads",
          "warmUpSeconds",
          "seconds",
          "loads",
          "columns",
          PUBLISHED);

  private static final Set<String> OF_LOAD =
      Set.of("clients", "bytes", "requests", "namesOfClient", SERVERS);

  private WorkloadFile() {}

  /** A seed of this program. */
  static Workload own(String seed) throws IOException {
    String file = seed + ".json";
    try (InputStream in = WorkloadFile.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + file + " is missing");
      }
      return parse(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * A file of a user.
   *
   * @throws IllegalArgumentException says what is wrong, and where
   */
  static Workload read(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(BYTES_MAX + 1);
    }
    if (bytes.length > BYTES_MAX) {
      throw new IllegalArgumentException(
          file + ": a workload has " + BYTES_MAX + " bytes at most, and there are more");
    }
    try {
      return parse(
          file.toString(),
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(file + ": this is no text in UTF-8", e);
    }
  }

  /**
   * The file of an option {@code --workload}.
   *
   * @throws CommandFailure when it cannot be read, or has another form
   */
  static Workload ofOption(Path file) {
    try {
      return read(file);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--workload " + e.getMessage());
    } catch (IOException e) {
      throw CommandFailure.io("--workload " + file + " cannot be read: " + Diagnosis.ofFile(e));
    }
  }

  /** As {@link #read}, of a text that was in {@code file}. */
  static Workload parse(String file, String text) {
    JsonPlace root = JsonPlace.parse(file, text).object(MEMBERS);
    Kind kind = root.member("kind").oneOf(List.of(Kind.values()), Kind::word);
    List<String> operations =
        root.member("operations")
            .distinct(
                1,
                LIST_MAX,
                each ->
                    kind == Kind.MIX
                        ? MixLoads.operation(each)
                        : each.oneOf(Set.copyOf(kind.operations())));
    List<Load> loads = root.member("loads").list(1, LIST_MAX, load -> load(kind, operations, load));
    if (kind != Kind.MIX) {
      root.refuse(MixLoads.STEPS, "is for a mix");
    }
    if (kind == Kind.QUEUE || kind == Kind.PUBLISH) {
      root.refuse("threads", "is for echo, registry, mix and access");
    }
    return new Workload(
        seed(root.member("seed")),
        kind,
        root.member("title").text(),
        publishedOn(root),
        operations,
        kind == Kind.MIX ? MixLoads.steps(operations, root.member(MixLoads.STEPS)) : Map.of(),
        root.find("threads")
            .map(all -> all.distinct(1, LIST_MAX, each -> each.whole(1, THREADS_MAX)))
            .orElse(List.of()),
        times(kind, root),
        loads,
        root.member("columns")
            .distinct(1, LIST_MAX, each -> each.oneOf(Figure.measuredOf(kind), Figure::column)),
        root.find(PUBLISHED)
            .map(all -> all.list(0, PUBLISHED_MAX, each -> published(kind, operations, each)))
            .orElse(List.of()));
  }

  private static Optional<String> publishedOn(JsonPlace root) {
    return root.find(PUBLISHED).isPresent()
        ? Optional.of(root.member(PUBLISHED_ON).text())
        : root.find(PUBLISHED_ON).map(JsonPlace::text);
  }

  private static String seed(JsonPlace place) {
    String seed = place.text();
    if (!seed.matches("[A-Za-z0-9]{1,16}")) {
      throw place.wrong("is 1 to 16 letters and digits, not '" + seed + "'");
    }
    return seed;
  }

  private static Times times(Kind kind, JsonPlace root) {
    int warmUp = root.member("warmUpSeconds").whole(0, SECONDS_MAX);
    if (kind == Kind.REGISTRY) {
      root.refuse("seconds", "is for others: requests end a case of a registry");
      return new Times(warmUp, 0);
    }
    return new Times(warmUp, root.member("seconds").whole(1, SECONDS_MAX));
  }

  private static Load load(Kind kind, List<String> operations, JsonPlace place) {
    return switch (kind) {
      case QUEUE -> QueueLoads.load(operations, place);
      case MIX -> MixLoads.load(place);
      case PUBLISH -> PublishLoads.load(operations, place);
      case ECHO, REGISTRY, ACCESS -> load(kind, place);
    };
  }

  private static Load load(Kind kind, JsonPlace place) {
    JsonPlace load = place.object(OF_LOAD);
    int clients = load.member("clients").whole(1, CLIENTS_MAX);
    if (kind != Kind.REGISTRY) {
      String why = "is for a registry: seconds end a case of " + kind.word();
      load.refuse("requests", why);
      load.refuse("namesOfClient", why);
      load.refuse(SERVERS, "is for a registry: others have one server");
      return new Load(
          clients, load.member("bytes").whole(kind == Kind.ECHO ? 0 : 1, ECHO_BYTES_MAX), 0, 0);
    }
    return new Load(
        clients,
        load.member("bytes").whole(NAME_BYTES_MIN, NAME_BYTES_MAX),
        load.member("requests").whole(clients, REQUESTS_MAX),
        load.member("namesOfClient").whole(1, REQUESTS_MAX),
        Optional.empty(),
        Optional.empty(),
        load.find(SERVERS).map(count -> count.whole(1, SERVERS_MAX)).orElse(1),
        Optional.empty());
  }

  private static Published published(Kind kind, List<String> operations, JsonPlace place) {
    String clients =
        switch (kind) {
          case QUEUE -> QueueLoads.SENDERS;
          case PUBLISH -> PublishLoads.PUBLISHERS;
          case ECHO, REGISTRY, MIX, ACCESS -> "clients";
        };
    Set<String> members =
        Arrays.stream(Figure.values()).map(Figure::column).collect(Collectors.toSet());
    members.addAll(Set.of("operation", clients, "threads", "bytes", MixLoads.ROWS_BEFORE, SERVERS));
    JsonPlace each = place.object(members);
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      each.find(figure.column()).ifPresent(value -> figures.put(figure, value.number()));
    }
    if (figures.isEmpty()) {
      throw place.wrong("has no figure");
    }
    return new Published(
        each.member("operation").oneOf(Set.copyOf(operations)),
        each.member(clients).whole(1, CLIENTS_MAX),
        each.find("threads").map(threads -> threads.whole(1, THREADS_MAX)),
        each.find("bytes").map(bytes -> bytes.whole(0, QueueLoads.BYTES_MAX)),
        each.find(MixLoads.ROWS_BEFORE).map(rows -> rows.whole(1, MixLoads.ROWS_MAX)),
        each.find(SERVERS).map(servers -> servers.whole(1, SERVERS_MAX)),
        figures);
  }
}
