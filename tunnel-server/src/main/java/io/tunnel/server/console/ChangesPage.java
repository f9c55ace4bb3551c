package io.tunnel.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Increments;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A page of the changes of one partition: what a request asks for, and the answer as JSON. Values
 * are as in {@link RowsPage}. The server keeps nothing of a page that follows changes: each answer
 * has the position behind which the next request goes on. For one thread.
 */
final class ChangesPage {

  /** Changes of one answer. */
  static final int CHANGES_MAX = 200;

  /** Bytes of the changes of one answer, before values are cut; the last change may pass it. */
  static final int BYTES_MAX = 256 << 10;

  /** Columns of a change that are shown. */
  static final int COLUMNS_MAX = 64;

  private final TableDescription table;
  private final int partition;
  private final JsonElement after;

  /** The first bytes of the keys that are shown. */
  private final Bytes keyStart;

  private final JsonArray shown = new JsonArray();
  private int shownBytes;

  /**
   * What a body asks for.
   *
   * @throws Refusal when the table has no such partition, or the key has other columns
   */
  ChangesPage(TableDescription table, JsonObject body) {
    this.table = table;
    this.partition = (int) number(body.get("partition"), "partition", Integer.MAX_VALUE);
    this.after = body.get("after");
    this.keyStart = new RowsPage(schema()).bound(body.get("key"));
    if (table.partitions().stream().noneMatch(one -> one.id() == partition)) {
      throw new Refusal(
          HttpResponseStatus.NOT_FOUND,
          "NOT_FOUND",
          "table '" + table.meta().name() + "' has no partition " + partition);
    }
  }

  private List<PrimaryKeySchema> schema() {
    return table.meta().primaryKey();
  }

  private static long number(JsonElement member, String name, long max) {
    try {
      if (member != null && member.isJsonPrimitive()) {
        long number = Long.parseLong(member.getAsString());
        if (number >= 0 && number <= max) {
          return number;
        }
      }
    } catch (NumberFormatException e) {
      // Refused below, like a number out of range.
    }
    throw RowsPage.invalid(name + " is a number from 0 to " + max);
  }

  /** The moment behind which the page begins; empty for an edge. */
  Optional<Long> moment() {
    return after instanceof JsonObject object && object.has("timeMs")
        ? Optional.of(number(object.get("timeMs"), "timeMs", Long.MAX_VALUE))
        : Optional.empty();
  }

  /** Whether the request asks where changes begin, and for no changes. */
  boolean isSearch() {
    return moment().isPresent() || !(after instanceof JsonObject);
  }

  /** The answer to a search. */
  JsonObject found(FoundPositions all) {
    Positions found =
        all.partitions().stream()
            .filter(one -> one.partition() == partition)
            .findAny()
            .orElseThrow(() -> RowsPage.invalid("partition " + partition + " is gone"));
    String edge = after != null && after.isJsonPrimitive() ? after.getAsString() : "";
    long position =
        switch (edge) {
          case "earliest" -> found.earliest();
          case "latest" -> found.latest();
          default ->
              moment()
                  .map(unused -> found.before().orElse(found.latest()))
                  .orElseThrow(
                      () ->
                          RowsPage.invalid(
                              "after is \"earliest\", \"latest\", {\"timeMs\":N}, or the next of"
                                  + " the answer before"));
        };
    return toJson(position, found.incarnation());
  }

  /** The reading that the request asks for. */
  ReadPartition reading() {
    long position = position();
    return new ReadPartition(
        partition,
        ChannelType.Stream,
        position,
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        incarnation().map(incarnation -> new KnownPosition(position, incarnation)));
  }

  private long position() {
    return number(after.getAsJsonObject().get("position"), "position", Long.MAX_VALUE);
  }

  private Optional<Long> incarnation() {
    return Optional.ofNullable(after.getAsJsonObject().get("incarnation"))
        .filter(said -> !said.isJsonNull())
        .map(said -> Math.max(1, number(said, "incarnation", Long.MAX_VALUE)));
  }

  /** The answer to a reading. */
  JsonObject read(Changes changes) {
    long last = Math.max(position(), changes.settled().orElse(0));
    if (changes.delivery().isPresent()) {
      long first = Math.max(changes.delivery().get().firstPosition(), position() + 1);
      for (ChangeBatch batch : changes.delivery().get().batches()) {
        last = Math.max(last, add(batch, first));
        if (isFull()) {
          break;
        }
      }
    }
    return toJson(last, changes.incarnation().or(this::incarnation));
  }

  private boolean isFull() {
    return shown.size() >= CHANGES_MAX || shownBytes >= BYTES_MAX;
  }

  /** Adds changes from {@code first} on until the page is full; returns the last position seen. */
  private long add(ChangeBatch batch, long first) {
    RowCursor row = batch.rows();
    long position = batch.basePosition() - 1;
    while (!isFull() && row.next()) {
      position = batch.basePosition() + row.index();
      if (position >= first && hasKey(row)) {
        shownBytes += row.rowEnd() - row.rowOffset();
        shown.add(change(batch, row, position));
      }
    }
    return position;
  }

  private boolean hasKey(RowCursor row) {
    return row.keyBytes() >= keyStart.length()
        && keyStart.compareTo(row.batch().array(), row.keyOffset(), keyStart.length()) == 0;
  }

  private JsonObject change(ChangeBatch batch, RowCursor row, long position) {
    JsonObject change = new JsonObject();
    change.addProperty("position", position);
    change.addProperty("atMs", batch.commitMicros() / 1_000);
    change.addProperty("kind", row.kind().name());
    if (row.isExpiry()) {
      change.addProperty("expired", true);
    }
    change.add("key", RowsPage.key(row, schema()));
    JsonObject columns = new JsonObject();
    JsonArray removed = new JsonArray();
    ColumnCursor column = row.columns();
    Optional<Increments> deltas = row.deltas();
    int omitted = 0;
    for (int place = 0; column.next(); place++) {
      String name = batch.name(column.nameIndex());
      if (columns.size() + removed.size() >= COLUMNS_MAX) {
        omitted++;
      } else if (column.isDelete()) {
        removed.add(name);
      } else {
        columns.add(name, cell(column.value(), deltas, place));
      }
    }
    change.add("columns", columns);
    change.add("removed", removed);
    change.addProperty("omitted", omitted);
    return change;
  }

  /** As a text: JavaScript would round 64 bits. */
  private static JsonObject cell(ColumnValue value, Optional<Increments> deltas, int place) {
    JsonObject cell = RowsPage.cell(value);
    deltas
        .flatMap(all -> all.at(place))
        .ifPresent(delta -> cell.addProperty("delta", String.format(Locale.ROOT, "%+d", delta)));
    return cell;
  }

  private JsonObject toJson(long position, Optional<Long> incarnation) {
    JsonObject next = new JsonObject();
    next.addProperty("position", position);
    // As a text: JavaScript would round 64 bits.
    next.addProperty("incarnation", incarnation.map(String::valueOf).orElse(null));
    JsonObject page = new JsonObject();
    page.add("changes", shown);
    page.add("next", next);
    return page;
  }
}
