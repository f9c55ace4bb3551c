package io.tunnel.server.net.access;

import io.tunnel.codec.Binary;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Room;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A request in the audit log: its resource, and the intended change. For rows it names only the
 * table, never a key or a value.
 *
 * @param resource such as {@code table:orders}; none when the request cannot be read
 * @param detail in words, when there is more to say
 */
record AuditedRequest(Optional<String> resource, Optional<String> detail) {

  private static final AuditedRequest NOTHING =
      new AuditedRequest(Optional.empty(), Optional.empty());
  private static final Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> READERS =
      readers();

  private static AuditedRequest of(String resource) {
    return new AuditedRequest(Optional.of(resource), Optional.empty());
  }

  private static AuditedRequest of(String resource, String detail) {
    return new AuditedRequest(
        Optional.of(resource), Optional.of(detail).filter(text -> !text.isEmpty()));
  }

  private static <T extends Control> BiFunction<Catalog, byte[], AuditedRequest> json(
      Class<T> type, Function<T, AuditedRequest> reader) {
    return (catalog, payload) -> reader.apply(Json.decode(payload, type));
  }

  private static Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> readers() {
    Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> readers =
        new EnumMap<>(Operation.class);
    tables(readers);
    tunnels(readers);
    security(readers);
    return readers;
  }

  private static void tables(Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> readers) {
    // The points of a split are keys of rows, so they are not written.
    readers.put(
        Operation.CREATE_TABLE,
        json(
            CreateTable.class,
            one -> of(table(one.meta().name()), (one.splitPoints().size() + 1) + " partitions")));
    readers.put(
        Operation.ALTER_TABLE,
        json(AlterTable.class, one -> of(table(one.table()), one.options().toString())));
    for (Operation each :
        List.of(Operation.DROP_TABLE, Operation.DESCRIBE_TABLE, Operation.PARTITION_MAP)) {
      readers.put(each, json(TableName.class, one -> of(table(one.table()))));
    }
    readers.put(
        Operation.LIST_TUNNELS,
        (catalog, payload) ->
            payload.length == 0
                ? NOTHING
                : of(table(Json.decode(payload, TableName.class).table())));
    readers.put(Operation.FIND_POSITIONS, json(FindPositions.class, one -> of(table(one.table()))));
    for (Operation each :
        List.of(
            Operation.WRITE,
            Operation.OPEN_WRITER,
            Operation.GET_ROW,
            Operation.GET_ROWS,
            Operation.GET_RANGE)) {
      readers.put(each, AuditedRequest::ofTableId);
    }
    readers.put(
        Operation.READ_PARTITION,
        (catalog, payload) ->
            ofPartition(catalog, Json.decode(payload, ReadPartition.class).partition()));
    readers.put(
        Operation.WATCH,
        (catalog, payload) ->
            ofPartition(catalog, Json.decode(payload, Watch.class).read().partition()));
    readers.put(
        Operation.ATTACH,
        (catalog, payload) -> ofPartition(catalog, Json.decode(payload, Attach.class).partition()));
  }

  /** The payload begins with the table's id. */
  private static AuditedRequest ofTableId(Catalog catalog, byte[] payload) {
    return payload.length < Integer.BYTES
        ? NOTHING
        : catalog
            .find(Binary.getInt(payload, 0))
            .map(table -> of(table(table.meta().name())))
            .orElse(NOTHING);
  }

  private static AuditedRequest ofPartition(Catalog catalog, int partition) {
    return catalog.hasPartition(partition)
        ? of(table(catalog.tableOfPartition(partition).meta().name()), "partition " + partition)
        : of("partition:" + partition);
  }

  private static void tunnels(Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> readers) {
    readers.put(
        Operation.CREATE_TUNNEL,
        json(
            CreateTunnel.class,
            one -> of(tunnel(one.table(), one.tunnel()), "of type " + one.type())));
    for (Operation each :
        List.of(Operation.DELETE_TUNNEL, Operation.DESCRIBE_TUNNEL, Operation.EXPORT_CHECKPOINTS)) {
      readers.put(each, json(TunnelName.class, one -> of(tunnel(one.table(), one.tunnel()))));
    }
    for (Operation each : List.of(Operation.PAUSE, Operation.RESUME)) {
      readers.put(
          each,
          json(
              ChannelSelection.class,
              one -> of(tunnel(one.table(), one.tunnel()), channels(one.channels()))));
    }
    readers.put(
        Operation.SEEK,
        json(Seek.class, one -> of(tunnel(one.table(), one.tunnel()), detail(one))));
    readers.put(
        Operation.END_SESSION,
        json(
            EndSession.class,
            one -> of(tunnel(one.table(), one.tunnel()), "session " + one.sessionId())));
    readers.put(Operation.OPEN_SESSION, json(OpenSession.class, one -> of("id:" + one.tunnelId())));
    readers.put(
        Operation.END_ROW_SESSION,
        json(
            RowSessionControl.Numbered.class,
            one -> of("cluster", "row session " + one.sessionId())));
    readers.put(
        Operation.DRAIN_NODE,
        json(DrainNode.class, one -> of("cluster", one.isDraining() ? "begins" : "ends")));
    readers.put(
        Operation.UPGRADE,
        json(
            Upgrade.class,
            one -> of("cluster", one.to().map(to -> "raise to level " + to).orElse("look"))));
  }

  private static String detail(Seek seek) {
    String to =
        seek.edge()
            .map(edge -> "to " + edge)
            .or(() -> seek.timeMs().map(ms -> "to the time " + ms + " ms"))
            .or(() -> seek.position().map(position -> "behind position " + position))
            .orElse("to imported checkpoints");
    String which = channels(seek.channels());
    return (seek.isDryRun() ? "dry run " : "") + to + (which.isEmpty() ? "" : ", " + which);
  }

  private static String channels(List<String> ids) {
    return ids.isEmpty() ? "" : (ids.size() == 1 ? "channel " : "channels ") + listed(ids);
  }

  private static String listed(List<String> names) {
    return String.join(", ", names);
  }

  private static void security(
      Map<Operation, BiFunction<Catalog, byte[], AuditedRequest>> readers) {
    readers.put(
        Operation.CREATE_KEY, json(CreateKey.class, one -> of("principal:" + one.principal())));
    readers.put(Operation.REVOKE_KEY, json(SecurityId.class, one -> of("key:" + one.id())));
    readers.put(
        Operation.ROTATE_KEY,
        json(RotateKey.class, one -> of("key:" + one.id(), one.isFinished() ? "ends" : "begins")));
    readers.put(Operation.GRANT, json(PermissionInfo.class, AuditedRequest::permission));
    readers.put(Operation.WITHDRAW, json(PermissionInfo.class, AuditedRequest::permission));
    readers.put(
        Operation.CHANGE_GROUP,
        json(
            ChangeGroup.class,
            one ->
                of(
                    "group:" + one.group(),
                    (one.add().isEmpty() ? "" : "adds " + listed(one.add()))
                        + (one.add().isEmpty() || one.remove().isEmpty() ? "" : "; ")
                        + (one.remove().isEmpty() ? "" : "removes " + listed(one.remove())))));
    readers.put(
        Operation.CREATE_TOKEN, json(CreateToken.class, one -> of("principal:" + one.principal())));
    readers.put(Operation.REVOKE_TOKEN, json(SecurityId.class, one -> of("token:" + one.id())));
    readers.put(
        Operation.SET_QUOTA,
        json(
            QuotaChange.class,
            one ->
                of(
                    one.subject().startsWith("table:")
                        ? one.subject()
                        : "principal:" + one.subject(),
                    listed(
                        Stream.concat(
                                one.removed().stream().map(name -> name + "=none"),
                                one.limits().stream()
                                    .map(limit -> limit.name() + "=" + limit.most()))
                            .toList()))));
  }

  private static AuditedRequest permission(PermissionInfo one) {
    return of(
        one.resource(),
        (one.isAllowed() ? "allow " : "deny ") + listed(one.rights()) + " to " + one.subject());
  }

  private static String table(String name) {
    return "table:" + name;
  }

  private static String tunnel(String table, String name) {
    return "tunnel:" + table + "/" + name;
  }

  /** Reads a request, which may be malformed. */
  static AuditedRequest read(Operation operation, byte[] payload, Catalog catalog) {
    BiFunction<Catalog, byte[], AuditedRequest> reader = READERS.get(operation);
    if (reader == null) {
      return NOTHING;
    }
    try {
      return reader.apply(catalog, payload);
    } catch (RuntimeException e) {
      // A malformed request has no resource; its outcome says why.
      return NOTHING;
    }
  }

  /** Reads a refused request; only the beginning of a long one. */
  static AuditedRequest readRefused(Operation operation, byte[] payload, Catalog catalog) {
    if (!LongRequest.is(operation, payload)) {
      return read(operation, payload, catalog);
    }
    Optional<String> table =
        operation == Operation.CREATE_TABLE
            ? LongRequest.find(payload, "meta", "name")
            : LongRequest.find(payload, "table");
    Optional<String> tunnel = LongRequest.find(payload, "tunnel");
    return new AuditedRequest(
        operation == Operation.SEEK && tunnel.isPresent()
            ? table.map(name -> tunnel(name, tunnel.get()))
            : table.map(AuditedRequest::table),
        Optional.empty());
  }

  /** This request with the id of the created resource. */
  AuditedRequest with(Optional<String> made) {
    return made.isEmpty()
        ? this
        : new AuditedRequest(
            resource, Optional.of(detail.map(said -> said + "; ").orElse("") + made.get()));
  }

  /** The id of the key or token that an answer holds; never its secret. */
  static Optional<String> made(Operation operation, byte[] answer) {
    if (answer.length == 0) {
      return Optional.empty();
    }
    boolean isOfKey = operation == Operation.CREATE_KEY || operation == Operation.ROTATE_KEY;
    if (isOfKey) {
      KeyInfo key = Json.decode(answer, KeySecret.class).key();
      return Optional.of("key " + key.id() + " of " + key.principal());
    }
    return operation == Operation.CREATE_TOKEN
        ? Optional.of("token " + Json.decode(answer, TokenSecret.class).info().id())
        : Optional.empty();
  }

  /** The lowest setting at which the operation is written after success. */
  static Written writtenFrom(Operation operation) {
    return switch (operation.right()) {
      case CREATE, ALTER, DROP, OPERATE, ADMIN -> Written.REFUSED;
      case WRITE, CONSUME -> Written.CHANGES;
      case HOLD ->
          operation.room() == Room.SESSIONS && operation != Operation.HEARTBEAT
              ? Written.CHANGES
              : Written.ALL;
      case ANYBODY, SEE, READ, SERVER -> Written.ALL;
    };
  }
}
