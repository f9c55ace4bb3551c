package io.tunnel.it.history;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.history.Call.BatchPlace;
import io.tunnel.it.history.Call.Kind;
import io.tunnel.it.history.Call.Outcome;
import io.tunnel.model.RowExistenceExpectation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A history as lines of JSON, which docs/internals/proving.md describes: one when a client asks,
 * one when it knows the outcome. Any thread may add; the lines are in the order of their moments as
 * far as one client is concerned.
 */
public final class HistoryLines {

  private final List<String> lines = new ArrayList<>();
  private long calls;

  /** A client asks; returns the number of the call. */
  public long invoked(
      int client,
      long key,
      Kind kind,
      RowExistenceExpectation condition,
      Optional<Long> expected,
      Optional<Long> value,
      long nanos) {
    return invoked(client, key, kind, condition, expected, value, nanos, Optional.empty());
  }

  /** As above, perhaps for a row of an atomic batch. */
  public synchronized long invoked(
      int client,
      long key,
      Kind kind,
      RowExistenceExpectation condition,
      Optional<Long> expected,
      Optional<Long> value,
      long nanos,
      Optional<BatchPlace> batch) {
    calls++;
    JsonObject line = line("invoke", calls, nanos);
    line.addProperty("client", client);
    line.addProperty("op", kind.name().toLowerCase(Locale.ROOT));
    line.addProperty("condition", condition.name());
    expected.ifPresent(wanted -> line.addProperty("expected", wanted));
    line.addProperty("key", key);
    value.ifPresent(written -> line.addProperty("value", written));
    batch.ifPresent(
        place -> {
          line.addProperty("batch", place.batch());
          line.addProperty("index", place.index());
        });
    lines.add(line.toString());
    return calls;
  }

  /** A client is told. */
  public synchronized void ended(
      long call, Outcome outcome, Optional<Long> read, Optional<Long> position, long nanos) {
    JsonObject line = line(outcome.name().toLowerCase(Locale.ROOT), call, nanos);
    read.ifPresent(value -> line.addProperty("value", value));
    position.ifPresent(at -> line.addProperty("position", at));
    lines.add(line.toString());
  }

  private static JsonObject line(String event, long call, long nanos) {
    JsonObject line = new JsonObject();
    line.addProperty("event", event);
    line.addProperty("call", call);
    line.addProperty("nanos", nanos);
    return line;
  }

  /** What was recorded. */
  public synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** The calls of a history; one without an end has an unknown outcome. */
  public static List<Call> read(List<String> lines) {
    Map<Long, JsonObject> invoked = new HashMap<>();
    List<Call> calls = new ArrayList<>();
    for (String text : lines) {
      JsonObject line = JsonParser.parseString(text).getAsJsonObject();
      long call = line.get("call").getAsLong();
      String event = line.get("event").getAsString();
      if (event.equals("invoke")) {
        invoked.put(call, line);
      } else {
        calls.add(
            call(invoked.remove(call), Outcome.valueOf(event.toUpperCase(Locale.ROOT)), line));
      }
    }
    invoked.values().forEach(begun -> calls.add(call(begun, Outcome.UNKNOWN, begun)));
    return calls;
  }

  private static Call call(JsonObject begun, Outcome outcome, JsonObject end) {
    Kind kind = Kind.valueOf(begun.get("op").getAsString().toUpperCase(Locale.ROOT));
    return new Call(
        begun.get("key").getAsLong(),
        kind,
        RowExistenceExpectation.valueOf(begun.get("condition").getAsString()),
        number(begun, "expected"),
        number(kind == Kind.GET ? end : begun, "value"),
        outcome,
        number(end, "position"),
        begun.get("nanos").getAsLong(),
        outcome == Outcome.UNKNOWN ? Call.NEVER : end.get("nanos").getAsLong(),
        number(begun, "batch").map(batch -> new BatchPlace(batch, begun.get("index").getAsInt())));
  }

  private static Optional<Long> number(JsonObject line, String name) {
    return Optional.ofNullable(line.get(name)).map(value -> value.getAsLong());
  }
}
