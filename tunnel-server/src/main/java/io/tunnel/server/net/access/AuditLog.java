package io.tunnel.server.net.access;

import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line in the log for each request that an operator made and that was done: who, and what. For
 * any thread.
 */
public final class AuditLog {

  private static final Logger LOGGER = LoggerFactory.getLogger(AuditLog.class);
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final int CHANNELS_SHOWN_MAX = 5;

  private static final Map<Operation, Function<byte[], Optional<String>>> TEXTS = texts();

  private AuditLog() {}

  private static Map<Operation, Function<byte[], Optional<String>>> texts() {
    Map<Operation, Function<byte[], Optional<String>>> texts = new EnumMap<>(Operation.class);
    texts.put(Operation.CREATE_TABLE, AuditLog::createTable);
    texts.put(
        Operation.ALTER_TABLE,
        payload -> {
          AlterTable alter = Json.decode(payload, AlterTable.class);
          return Optional.of("alter table " + alter.table() + ": " + alter.options());
        });
    texts.put(
        Operation.DROP_TABLE,
        payload -> Optional.of("drop table " + Json.decode(payload, TableName.class).table()));
    texts.put(
        Operation.CREATE_TUNNEL,
        payload -> {
          CreateTunnel create = Json.decode(payload, CreateTunnel.class);
          String what = tunnel(create.table(), create.tunnel());
          return Optional.of("create " + what + " of type " + create.type());
        });
    texts.put(
        Operation.DELETE_TUNNEL,
        payload -> {
          TunnelName name = Json.decode(payload, TunnelName.class);
          return Optional.of("delete " + tunnel(name.table(), name.tunnel()));
        });
    texts.put(Operation.PAUSE, payload -> selection("pause", payload));
    texts.put(Operation.RESUME, payload -> selection("resume", payload));
    texts.put(Operation.SEEK, AuditLog::seek);
    texts.put(
        Operation.END_SESSION,
        payload -> {
          EndSession end = Json.decode(payload, EndSession.class);
          return Optional.of(
              "end session " + end.sessionId() + " of " + tunnel(end.table(), end.tunnel()));
        });
    texts.put(
        Operation.DRAIN_NODE,
        payload ->
            Optional.of(
                Json.decode(payload, DrainNode.class).isDraining()
                    ? "drain this node"
                    : "drain this node no more"));
    return texts;
  }

  private static Optional<String> createTable(byte[] payload) {
    CreateTable create = Json.decode(payload, CreateTable.class);
    return Optional.of(
        "create table "
            + create.meta().name()
            + " of "
            + (create.splitPoints().size() + 1)
            + " partitions");
  }

  private static Optional<String> selection(String verb, byte[] payload) {
    ChannelSelection selection = Json.decode(payload, ChannelSelection.class);
    return Optional.of(
        verb
            + " "
            + channels(selection.channels())
            + tunnel(selection.table(), selection.tunnel()));
  }

  /** Only what was moved: a dry run is a question. */
  private static Optional<String> seek(byte[] payload) {
    Seek seek = Json.decode(payload, Seek.class);
    if (seek.isDryRun()) {
      return Optional.empty();
    }
    String to =
        seek.edge()
            .map(edge -> "to " + edge)
            .or(() -> seek.timeMs().map(ms -> "to the time " + ms + " ms"))
            .or(() -> seek.position().map(position -> "behind position " + position))
            .orElse("to imported checkpoints");
    return Optional.of(
        "seek " + channels(seek.channels()) + tunnel(seek.table(), seek.tunnel()) + " " + to);
  }

  private static String channels(List<String> ids) {
    if (ids.isEmpty()) {
      return "";
    }
    String shown = String.join(", ", ids.subList(0, Math.min(CHANNELS_SHOWN_MAX, ids.size())));
    int more = ids.size() - CHANNELS_SHOWN_MAX;
    return (ids.size() == 1 ? "channel " : "channels ")
        + shown
        + (more > 0 ? " and " + more + " more" : "")
        + " of ";
  }

  private static String tunnel(String table, String tunnel) {
    return "tunnel " + tunnel + " of table " + table;
  }

  /** What the request asked for, if it is one that changes something for others. */
  static Optional<String> text(Operation operation, byte[] payload) {
    Function<byte[], Optional<String>> text = TEXTS.get(operation);
    return text == null
        ? Optional.empty()
        : text.apply(payload).map(line -> CONTROL.matcher(line).replaceAll("?"));
  }

  /** A request was done. */
  public static void done(Frame request, Caller caller, String client, Object address) {
    if (request.operation() != null && TEXTS.containsKey(request.operation())) {
      text(request.operation(), request.payload())
          .ifPresent(
              line ->
                  LOGGER.info(
                      "{}; done for {}, '{}' at {}",
                      line,
                      caller,
                      CONTROL.matcher(client).replaceAll("?"),
                      address));
    }
  }
}
