package io.tunnel.server.console;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Requests of pages that the service answers. Each becomes a request of the native protocol for the
 * visitor's principal. The answering node decides, by the principal's rights and quotas, as for
 * every client.
 */
final class Asks {

  /** Longest wait for an answer. */
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** How long a page of changes waits for the first one. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final int ROWS_MAX = 200;

  /** Bytes of the rows of one page, before values are cut. */
  private static final int ROWS_BYTES_MAX = 1 << 20;

  /** Requests that one page of rows makes: partitions may be empty. */
  private static final int RANGES_MAX = 16;

  private static final int NODE_CHARS_MAX = 255;

  /** The requests that a page may make. Keys, tokens, rights and rows are not among them. */
  private static final Set<Operation> ALLOWED =
      EnumSet.of(
          Operation.LIST_TABLES,
          Operation.DESCRIBE_TABLE,
          Operation.PARTITION_MAP,
          Operation.ALTER_TABLE,
          Operation.LIST_TUNNELS,
          Operation.DESCRIBE_TUNNEL,
          Operation.CREATE_TUNNEL,
          Operation.DELETE_TUNNEL,
          Operation.SEEK,
          Operation.PAUSE,
          Operation.RESUME,
          Operation.END_SESSION,
          Operation.EXPORT_CHECKPOINTS,
          Operation.DESCRIBE_CLUSTER,
          Operation.DESCRIBE_NODE,
          Operation.DRAIN_NODE,
          Operation.WHO_AM_I);

  private final Forwarding forwarding;
  private final Executor maker;

  /**
   * Requests over {@code forwarding}.
   *
   * @param maker the thread that turns rows into JSON; rejects tasks when too many wait
   */
  Asks(Forwarding forwarding, Executor maker) {
    this.forwarding = forwarding;
    this.maker = maker;
  }

  /**
   * Sends the body as the payload of the operation that the path names. An empty body is an empty
   * payload, by which LIST_TUNNELS, for one, asks for all tunnels.
   */
  CompletableFuture<Answer> ask(Asked asked, String name, Visitor visitor) {
    Operation operation =
        ALLOWED.stream()
            .filter(allowed -> allowed.name().equals(name))
            .findAny()
            .orElseThrow(
                () ->
                    new Refusal(
                        HttpResponseStatus.NOT_FOUND,
                        "NOT_FOUND",
                        "a page may ask for " + ALLOWED));
    if (asked.body().length > 0) {
      object(asked);
    }
    return forwarding
        .ask(visitor.onBehalf(asked.from()), node(asked), operation, asked.body(), DEADLINE)
        .thenApply(
            payload ->
                Answer.json(
                    HttpResponseStatus.OK,
                    payload.length == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : payload));
  }

  private static Optional<String> node(Asked asked) {
    List<String> nodes;
    try {
      nodes =
          new QueryStringDecoder("?" + asked.query()).parameters().getOrDefault("node", List.of());
    } catch (IllegalArgumentException e) {
      throw RowsPage.invalid("the query is not URL-encoded: " + e.getMessage());
    }
    if (nodes.size() > 1 || nodes.stream().anyMatch(node -> node.length() > NODE_CHARS_MAX)) {
      throw RowsPage.invalid("one node of at most " + NODE_CHARS_MAX + " characters");
    }
    return nodes.stream().filter(node -> !node.isEmpty()).findFirst();
  }

  private static JsonObject object(Asked asked) {
    String text = new String(asked.body(), StandardCharsets.UTF_8);
    try {
      Json.requireUniqueNames(text);
      if (JsonParser.parseString(text) instanceof JsonObject object) {
        return object;
      }
    } catch (JsonParseException | MalformedException | StackOverflowError e) {
      // Refused below, like any other text that is no object.
    }
    throw RowsPage.invalid("the body is a JSON object");
  }

  /** Reads a page of rows. */
  CompletableFuture<Answer> rows(Asked asked, Visitor visitor) {
    JsonObject body = object(asked);
    OnBehalf who = visitor.onBehalf(asked.from());
    int limit = limit(body.get("limit"));
    return forwarding
        .ask(
            who,
            Optional.empty(),
            Operation.PARTITION_MAP,
            named(text(body.get("table"))),
            DEADLINE)
        .thenCompose(
            payload -> {
              TableDescription table = Json.decode(payload, TableDescription.class);
              RowsPage page = new RowsPage(table.meta().primaryKey());
              Bytes from = page.bound(body.get("from"));
              Bytes to = page.bound(body.get("to"));
              if (RangeRequest.isReversed(from, to)) {
                throw RowsPage.invalid("the key 'from' is above the key 'to'; swap the keys");
              }
              return range(new Reading(who, table.tableId(), to, limit, page), from, 1);
            });
  }

  private static byte[] named(String table) {
    try {
      return Json.encode(new TableName(table));
    } catch (IllegalArgumentException e) {
      throw RowsPage.invalid("the name of the table has half of a character");
    }
  }

  private static String text(JsonElement member) {
    if (member == null || !member.isJsonPrimitive()) {
      throw RowsPage.invalid("the body names a table");
    }
    return member.getAsString();
  }

  private static int limit(JsonElement member) {
    if (member == null) {
      return ROWS_MAX;
    }
    if (member instanceof JsonPrimitive number && number.isNumber()) {
      try {
        int limit = number.getAsBigDecimal().intValueExact();
        if (limit >= 1 && limit <= ROWS_MAX) {
          return limit;
        }
      } catch (NumberFormatException | ArithmeticException e) {
        // Refused below, like a number out of range.
      }
    }
    throw RowsPage.invalid("limit is a whole number, 1 to " + ROWS_MAX);
  }

  /**
   * A page that is being read.
   *
   * @param limit rows of the page
   */
  private record Reading(OnBehalf who, int tableId, Bytes to, int limit, RowsPage page) {

    byte[] request(Bytes from) {
      return new RangeRequest(
              tableId, Direction.FORWARD, limit - page.count(), ROWS_BYTES_MAX, from, to)
          .encode();
    }
  }

  private CompletableFuture<Answer> range(Reading reading, Bytes from, int ranges) {
    return forwarding
        .ask(reading.who(), Optional.empty(), Operation.GET_RANGE, reading.request(from), DEADLINE)
        .thenComposeAsync(
            payload -> {
              RowPage got = RowPage.decode(payload);
              reading.page().add(got);
              boolean isFull =
                  reading.page().count() >= reading.limit()
                      || reading.page().byteCount() >= ROWS_BYTES_MAX;
              return got.next().isPresent() && !isFull && ranges < RANGES_MAX
                  ? range(reading, got.next().get(), ranges + 1)
                  : CompletableFuture.completedFuture(
                      Answer.json(reading.page().toJson(got.next())));
            },
            this::make);
  }

  /**
   * Finds where changes of a partition begin, or reads changes behind a position. Nothing of a
   * tunnel is touched, and nothing is kept for the next request.
   */
  CompletableFuture<Answer> changes(Asked asked, Visitor visitor) {
    JsonObject body = object(asked);
    OnBehalf who = visitor.onBehalf(asked.from());
    String table = text(body.get("table"));
    return forwarding
        .ask(who, Optional.empty(), Operation.PARTITION_MAP, named(table), DEADLINE)
        .thenCompose(
            payload -> {
              ChangesPage page =
                  new ChangesPage(Json.decode(payload, TableDescription.class), body);
              return page.isSearch() ? find(who, table, page) : read(who, page);
            });
  }

  private CompletableFuture<Answer> find(OnBehalf who, String table, ChangesPage page) {
    byte[] request = Json.encode(new FindPositions(table, page.moment()));
    return forwarding
        .ask(who, Optional.empty(), Operation.FIND_POSITIONS, request, DEADLINE)
        .thenApply(payload -> Answer.json(page.found(Json.decode(payload, FoundPositions.class))));
  }

  private CompletableFuture<Answer> read(OnBehalf who, ChangesPage page) {
    return forwarding
        .read(who, page.reading(), ChangesPage.BYTES_MAX, PATIENCE)
        .thenApplyAsync(changes -> Answer.json(page.read(changes)), this::make);
  }

  private void make(Runnable task) {
    try {
      maker.execute(task);
    } catch (RejectedExecutionException e) {
      throw new Refusal(
          HttpResponseStatus.SERVICE_UNAVAILABLE, "BUSY", "other pages wait for rows already");
    }
  }
}
