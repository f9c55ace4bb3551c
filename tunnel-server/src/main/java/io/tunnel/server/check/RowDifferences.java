package io.tunnel.server.check;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.server.table.StoredTable;
import io.tunnel.terminal.Human;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** Counts the rows in which a table differs from its log, and remembers the first of each kind. */
final class RowDifferences implements StoredTable.Differences {

  private final IntFunction<TableRecord> tableOfPartition;
  private final Map<Place, Tally> tallies =
      new TreeMap<>(Comparator.comparing(Place::table).thenComparing(Place::kind));
  private long rows;

  private record Place(String table, Kind kind) {}

  /** How many, and which was the first. */
  private record Tally(long rows, String first) {
    Tally oneMore() {
      return new Tally(rows + 1, first);
    }
  }

  RowDifferences(IntFunction<TableRecord> tableOfPartition) {
    this.tableOfPartition = tableOfPartition;
  }

  @Override
  public void compared(long more) {
    rows += more;
  }

  @Override
  public void missing(int partition, Bytes key) {
    count(Kind.ROWS_MISSING, partition, key);
  }

  @Override
  public void extra(int partition, Bytes key) {
    count(Kind.ROWS_EXTRA, partition, key);
  }

  @Override
  public void different(int partition, Bytes key) {
    count(Kind.ROWS_DIFFERENT, partition, key);
  }

  private void count(Kind kind, int partition, Bytes key) {
    TableRecord table = tableOfPartition.apply(partition);
    tallies.merge(
        new Place(table.meta().name(), kind),
        new Tally(1, "key " + text(table, key) + " of partition " + partition),
        (before, one) -> before.oneMore());
  }

  private static String text(TableRecord table, Bytes key) {
    try {
      return KeyCodec.decode(key.toByteArray(), 0, key.length(), table.meta().primaryKey())
          .toString();
    } catch (RuntimeException damaged) {
      return key.toString();
    }
  }

  long rows() {
    return rows;
  }

  List<Problem> problems(int shard) {
    List<Problem> problems = new ArrayList<>();
    tallies.forEach(
        (place, tally) ->
            problems.add(
                new Problem(
                    place.kind(),
                    "shard-" + shard + "/table",
                    Human.counted(tally.rows(), "row")
                        + " of table "
                        + place.table()
                        + what(place.kind())
                        + ", first "
                        + tally.first())));
    return problems;
  }

  private static String what(Kind kind) {
    if (kind == Kind.ROWS_MISSING) {
      return " that the log has made and nothing deleted: not there";
    }
    return kind == Kind.ROWS_EXTRA
        ? " that no change in the log has made"
        : " with other columns than the changes in the log say";
  }
}
