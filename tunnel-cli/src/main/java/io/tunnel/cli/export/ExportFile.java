package io.tunnel.cli.export;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What an export is of, and how far it is: one JSON object.
 *
 * @param format always {@link #FORMAT}
 * @param version of the format, always {@link #VERSION}
 * @param startedMs when the export began, in milliseconds since 1970
 * @param parts one for each partition, in the order of the keys
 */
record ExportFile(
    String format,
    int version,
    long startedMs,
    Source source,
    Selection selection,
    List<Part> parts) {

  static final String FORMAT = "tunnel-table-export";

  static final int VERSION = 1;

  ExportFile {
    requireForm(format, FORMAT, version, VERSION);
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(selection, "selection");
    parts = List.copyOf(parts);
    if (parts.size() != source.splitPoints().size() + 1) {
      throw new IllegalArgumentException(
          "it has "
              + parts.size()
              + " parts where its split points make "
              + (source.splitPoints().size() + 1));
    }
  }

  /**
   * Why a file is refused, as a clause about "it".
   *
   * @param text of the file
   */
  static String why(String text, MalformedException failure) {
    if (text.isBlank()) {
      return "it is empty";
    }
    String why = failure.getMessage().replaceFirst("^not an? [A-Z][A-Za-z]*: ", "");
    if (why.startsWith("lacks ") || why.startsWith("ends ")) {
      return "it " + why;
    }
    return why.startsWith("not ") || why.startsWith("nested ") ? "it is " + why : why;
  }

  /** Refuses a file of another format, or of a version that this program does not read. */
  static void requireForm(String format, String wanted, int version, int readVersion) {
    Objects.requireNonNull(format, "format");
    if (!format.equals(wanted)) {
      throw new IllegalArgumentException("its format is '" + format + "', not '" + wanted + "'");
    }
    if (version != readVersion) {
      throw new IllegalArgumentException(
          "its version is " + version + ", and this program reads " + readVersion);
    }
  }

  /**
   * The table that is exported.
   *
   * @param tableId the id of the table on its server
   * @param createdMs when the table was created: with the id, what a table that is created again
   *     under the name differs in
   * @param splitPoints first values of all partitions but the first
   */
  record Source(int tableId, long createdMs, TableMeta table, List<PrimaryKeyValue> splitPoints) {

    Source {
      Objects.requireNonNull(table, "table");
      splitPoints = List.copyOf(splitPoints);
    }

    static Source of(TableInfo table) {
      return new Source(
          table.tableId(),
          table.createdMs(),
          table.meta(),
          table.partitions().stream().map(PartitionInfo::from).flatMap(Optional::stream).toList());
    }

    /** Whether {@code found} is the exported table; false for a table that was created again. */
    boolean isTable(TableInfo found) {
      return tableId == found.tableId() && createdMs == found.createdMs();
    }

    /** A request for such a table under a name. */
    CreateTableRequest requestFor(String name) {
      return new CreateTableRequest(
          new TableMeta(name, table.primaryKey(), table.options()), splitPoints);
    }
  }

  /**
   * Which rows and columns are exported.
   *
   * @param where the condition that the rows fulfil; absent for all rows
   * @param columns the columns of the rows; absent for all
   */
  record Selection(Optional<String> where, Optional<List<String>> columns) {

    Selection {
      where = where == null ? Optional.empty() : where;
      columns = columns == null ? Optional.empty() : columns.map(List::copyOf);
    }

    boolean isAll() {
      return where.isEmpty() && columns.isEmpty();
    }

    /** For people: {@code where price > 1, columns [a, b]}. */
    String text() {
      return where.map(condition -> "where " + condition).orElse("all rows")
          + ", "
          + columns.map(names -> "columns " + names).orElse("all columns");
    }
  }

  /**
   * A part: what its file has.
   *
   * @param rows lines of the file
   * @param bytes bytes of the file; a part that is not complete may have a torn end after these
   * @param crc32c checksum of these bytes
   * @param last the key of the last row; absent without rows
   * @param isComplete whether these are all rows of the partition
   */
  record Part(long rows, long bytes, long crc32c, Optional<PrimaryKey> last, boolean isComplete) {

    static final Part NONE = new Part(0, 0, 0, Optional.empty(), false);

    Part {
      last = last == null ? Optional.empty() : last;
      if (rows < 0 || bytes < rows || last.isPresent() != rows > 0) {
        throw new IllegalArgumentException(
            "a part has " + rows + " rows in " + bytes + " bytes, and the last key " + last);
      }
    }

    Part complete() {
      return new Part(rows, bytes, crc32c, last, true);
    }
  }

  /** An export of {@code table} that begins now. */
  static ExportFile begin(TableInfo table, Selection selection, long nowMs) {
    Source source = Source.of(table);
    return new ExportFile(
        FORMAT,
        VERSION,
        nowMs,
        source,
        selection,
        Collections.nCopies(source.splitPoints().size() + 1, Part.NONE));
  }

  ExportFile withParts(List<Part> newParts) {
    return new ExportFile(format, version, startedMs, source, selection, newParts);
  }

  boolean isComplete() {
    return parts.stream().allMatch(Part::isComplete);
  }

  long rows() {
    return parts.stream().mapToLong(Part::rows).sum();
  }

  long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  /** The rows of a part that its file does not have, and the last row that it has. */
  RangeQuery rowsLeft(int part) {
    List<PrimaryKeyValue> points = source.splitPoints();
    RangeQuery query = RangeQuery.ALL;
    if (parts.get(part).last().isPresent()) {
      query = query.from(parts.get(part).last().get());
    } else if (part > 0) {
      query = query.from(bound(points.get(part - 1)));
    }
    return part < points.size() ? query.to(bound(points.get(part))) : query;
  }

  private PrimaryKey bound(PrimaryKeyValue first) {
    return PrimaryKey.builder().add(source.table().primaryKey().get(0).name(), first).build();
  }
}
