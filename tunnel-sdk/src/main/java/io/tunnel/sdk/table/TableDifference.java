package io.tunnel.sdk.table;

import io.tunnel.model.TableOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A property in which an existing table differs from a request to create the table.
 *
 * @param property {@code key}, {@code ttl}, {@code durability}, {@code retention}, {@code
 *     retentionBytes} or {@code splitPoints}
 * @param requested the value of the request, as a text for people
 * @param existing the value of the table
 * @param isRefused true for {@code key}, and for {@code ttl} if one of the two is none: no
 *     operation could alter the table, and the program would read or write other rows than it
 *     expects
 */
public record TableDifference(
    String property, String requested, String existing, boolean isRefused) {

  /** Refuses null. */
  public TableDifference {
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(requested, "requested");
    Objects.requireNonNull(existing, "existing");
  }

  /** The differences between a request and a table. */
  public static List<TableDifference> between(CreateTableRequest request, TableInfo table) {
    TableOptions wanted = request.meta().options();
    TableOptions found = table.meta().options();
    List<TableDifference> all = new ArrayList<>();
    add(all, "key", request.meta().primaryKey(), table.meta().primaryKey(), true);
    boolean oneExpires = wanted.ttlMs().isPresent() != found.ttlMs().isPresent();
    add(all, "ttl", ttl(wanted), ttl(found), oneExpires);
    add(all, "durability", wanted.durability(), found.durability(), false);
    add(all, "retention", wanted.retentionMs() + " ms", found.retentionMs() + " ms", false);
    add(all, "retentionBytes", wanted.retentionBytes(), found.retentionBytes(), false);
    add(
        all,
        "splitPoints",
        request.splitPoints(),
        table.partitions().stream().map(PartitionInfo::from).flatMap(Optional::stream).toList(),
        false);
    return all;
  }

  private static String ttl(TableOptions options) {
    return options.ttlMs().map(ms -> ms + " ms").orElse("none");
  }

  private static void add(
      List<TableDifference> all,
      String property,
      Object requested,
      Object existing,
      boolean isRefused) {
    if (!requested.equals(existing)) {
      all.add(new TableDifference(property, requested.toString(), existing.toString(), isRefused));
    }
  }

  /** Such as {@code retention 0 ms instead of 60000 ms}. */
  @Override
  public String toString() {
    return property + " " + existing + " instead of " + requested;
  }
}
