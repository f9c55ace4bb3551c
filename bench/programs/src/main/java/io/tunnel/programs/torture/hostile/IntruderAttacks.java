package io.tunnel.programs.torture.hostile;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Attacks of an authenticated principal without any right on the victim. */
final class IntruderAttacks {

  /** Requests that need no right; the answer shows only what the principal may see. */
  private static final Set<Operation> OF_ALL =
      EnumSet.of(
          Operation.DETACH,
          Operation.ECHO,
          Operation.LIST_TABLES,
          Operation.LIST_TUNNELS,
          Operation.WHO_AM_I,
          Operation.DESCRIBE_CLUSTER,
          Operation.DESCRIBE_NODE);

  private static final int MUTANTS = 30;
  private static final int DEPTH_MAX = 1 << 20;
  private static final int TEXT_BYTES_MAX = 4 << 20;

  /** Texts that would lead out of a directory if the server used them as paths. */
  private static final List<String> PATHS =
      List.of(
          "../", "/../../etc/passwd", "%2e%2e%2f", "\u0000", "\\..\\", "/", "a b", "é", "~", ".");

  private IntruderAttacks() {}

  private static Set<Operation> requests() {
    Set<Operation> requests = EnumSet.allOf(Operation.class);
    requests.removeIf(operation -> Payloads.of(operation, Named.absent()).isEmpty());
    requests.removeAll(Set.of(Operation.HELLO, Operation.AUTHENTICATE, Operation.CREDIT));
    // Whoever may write to any table opens sessions of its own; the end of none is no secret.
    requests.removeAll(Set.of(Operation.OPEN_ROW_SESSION, Operation.CLOSE_ROW_SESSION));
    return requests;
  }

  private static Operation oneOf(Set<Operation> operations, SplittableRandom random) {
    return List.copyOf(operations).get(random.nextInt(operations.size()));
  }

  private static byte[] payload(Operation operation, Named named) {
    return Payloads.of(operation, named).orElseThrow();
  }

  /** The words for what exists are those for what does not, but for its name. */
  static void forbiddenName(Scene scene, SplittableRandom random) throws IOException {
    Set<Operation> named = requests();
    named.removeAll(OF_ALL);
    named.add(Operation.LIST_TUNNELS);
    List<Operation> order = new ArrayList<>(named);
    Collections.rotate(order, random.nextInt(order.size()));
    try (RawConnection connection = RawConnection.of(scene.target(), scene.intruder())) {
      for (Operation operation : order) {
        requireAlike(connection, scene, operation);
      }
      requireUnseen(connection, scene);
    }
  }

  private static void requireAlike(RawConnection connection, Scene scene, Operation operation)
      throws IOException {
    Named absent = Named.absent();
    ErrorPayload forbidden = connection.refused(operation, payload(operation, scene.victim()));
    ErrorPayload missing = connection.refused(operation, payload(operation, absent));
    String ofForbidden = anonymous(forbidden, scene.victim());
    String ofMissing = anonymous(missing, absent);
    if (!ofForbidden.equals(ofMissing)) {
      throw new HoleException(
          operation
              + " says of what may not be seen '"
              + ofForbidden
              + "', and of what there is not '"
              + ofMissing
              + "'");
    }
  }

  private static String anonymous(ErrorPayload error, Named named) {
    return (error.code() + " " + error.message() + " " + error.leader())
        .replace(named.channelId(), "CHANNEL")
        .replace(named.sessionId(), "SESSION")
        .replace(named.principal(), "PRINCIPAL")
        .replace(named.table(), "TABLE")
        .replace(named.tunnel(), "TUNNEL")
        .replace(named.tunnelId(), "TUNNEL_ID")
        .replaceAll(
            "\\b(" + named.tableId() + "|" + named.partition() + "|" + named.handle() + ")\\b",
            "ID");
  }

  /** No list shows the victim. */
  private static void requireUnseen(RawConnection connection, Scene scene) throws IOException {
    for (Operation operation : OF_ALL) {
      // Also what is refused, such as the nodes of what is no cluster.
      byte[] answer = connection.ask(operation.code(), new byte[0]).payload();
      requireUnseen(operation, answer, scene);
    }
  }

  private static void requireUnseen(Operation operation, byte[] answer, Scene scene) {
    String text = new String(answer, StandardCharsets.ISO_8859_1);
    if (text.contains(scene.victim().table()) || text.contains(scene.victim().tunnelId())) {
      throw new HoleException(operation + " shows the victim: " + text);
    }
  }

  static void mutated(Scene scene, SplittableRandom random) throws IOException {
    try (RawConnection connection = RawConnection.of(scene.target(), scene.intruder())) {
      Operation operation = oneOf(requests(), random);
      for (int i = 0; i < MUTANTS; i++) {
        byte[] mutant = Mutants.of(payload(operation, scene.victim()), random);
        Frame answer = connection.ask(operation.code(), mutant);
        if (answer.kind() == FrameKind.ERROR) {
          var unused = RawConnection.errorOf(answer);
        } else if (OF_ALL.contains(operation)) {
          requireUnseen(operation, answer.payload(), scene);
        } else if (!isAboutLair(operation, mutant, scene)) {
          throw new HoleException(
              operation + " was granted: " + new String(mutant, StandardCharsets.UTF_8));
        }
      }
      requireUnseen(connection, scene);
    }
  }

  /** Some bits of an id turned may make the id of what the intruder may have. */
  private static boolean isAboutLair(Operation operation, byte[] mutant, Scene scene) {
    Set<Operation> byIds =
        EnumSet.of(
            Operation.WRITE,
            Operation.GET_ROW,
            Operation.GET_ROWS,
            Operation.GET_RANGE,
            Operation.READ_PARTITION,
            Operation.OPEN_SESSION);
    return byIds.contains(operation)
        || new String(mutant, StandardCharsets.ISO_8859_1).contains(scene.lair().table());
  }

  static void deepJson(Scene scene, SplittableRandom random) throws IOException {
    byte[] payload =
        (random.nextInt(3) == 0 ? longJson(random) : nestedJson(random))
            .getBytes(StandardCharsets.US_ASCII);
    Set<Operation> operations = requests();
    operations.removeIf(operation -> isNotJson(operation, scene));
    try (RawConnection connection = RawConnection.of(scene.target(), scene.intruder())) {
      Operation operation = oneOf(operations, random);
      ErrorPayload error = connection.refused(operation, payload);
      if (error.code() != ErrorCode.INVALID_REQUEST && error.code() != ErrorCode.NOT_PERMITTED) {
        throw new HoleException(operation + " says of nested or long JSON " + error);
      }
      requireUnseen(connection, scene);
    }
  }

  private static String nestedJson(SplittableRandom random) {
    String open = List.of("[", "{\"a\":", "{\"table\":", "[{\"meta\":[").get(random.nextInt(4));
    int depth = random.nextInt(1, DEPTH_MAX / open.length());
    String prefix = random.nextBoolean() ? "{\"unknown\":" : "";
    return prefix + open.repeat(depth);
  }

  /** Names nothing, and is long to read. */
  private static String longJson(SplittableRandom random) {
    return "{\"unknown\":\"" + "x".repeat(random.nextInt(TEXT_BYTES_MAX)) + "\"}";
  }

  private static boolean isNotJson(Operation operation, Scene scene) {
    byte[] payload = payload(operation, scene.victim());
    return payload.length == 0 || payload[0] != '{';
  }

  /** Also names that begin as those do that the intruder has rights on. */
  static void pathAsName(Scene scene, SplittableRandom random) throws IOException {
    String path = PATHS.get(random.nextInt(PATHS.size()));
    String name =
        random.nextBoolean() ? path : scene.lair().table() + path + scene.victim().table();
    try (RawConnection connection = RawConnection.of(scene.target(), scene.intruder())) {
      byte[] table = Json.encode(new Control.TableName(name));
      requireRefused(connection, Operation.DESCRIBE_TABLE, table);
      requireRefused(connection, Operation.PARTITION_MAP, table);
      requireRefused(connection, Operation.DROP_TABLE, table);
      requireRefused(
          connection, Operation.CREATE_TABLE, named(scene, Operation.CREATE_TABLE, name));
      requireRefused(
          connection, Operation.CREATE_TUNNEL, named(scene, Operation.CREATE_TUNNEL, name));
    }
  }

  /** A request of the intruder with another name, which the records of it would not take. */
  private static byte[] named(Scene scene, Operation operation, String name) {
    String was = operation == Operation.CREATE_TABLE ? scene.lair().table() : scene.lair().tunnel();
    String id = Json.toText(new SecurityControl.SecurityId(name));
    String quoted = id.substring(id.indexOf(':') + 1, id.length() - 1);
    return new String(payload(operation, scene.lair()), StandardCharsets.UTF_8)
        .replace("\"" + was + "\"", quoted)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void requireRefused(RawConnection connection, Operation operation, byte[] payload)
      throws IOException {
    var unused = connection.refused(operation, payload);
  }
}
