package io.tunnel.it.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Row;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What a writer was told, held against what was consumed and what the table holds. */
public final class Ledger {

  private final List<Written> rows;

  private record Place(int partition, long position) {}

  /** Every row has exactly one outcome, and rows of one key were applied in the writer's order. */
  public Ledger(List<Written> written) {
    rows = new ArrayList<>(written);
    rows.sort(Comparator.comparing(Written::sequence));
    Map<String, Written> lastOfKey = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      Written row = rows.get(i);
      assertThat(row.sequence()).as("rows without an outcome, or with two").isEqualTo(i);
      if (row.outcome() == Outcome.APPLIED) {
        Written before = lastOfKey.put(row.mutation().key(), row);
        assertThat(before == null || before.position() < row.position())
            .as("%s was applied before %s", row, before)
            .isTrue();
      }
    }
  }

  private Ledger(Stream<Written> some) {
    rows = some.toList();
  }

  /** The part behind these positions, by partition; rows that have none stay. */
  public Ledger behind(Map<Integer, Long> positions) {
    return new Ledger(
        rows.stream()
            .filter(
                row ->
                    row.outcome() != Outcome.APPLIED
                        || row.position() > positions.get(row.partition())));
  }

  /** Whether a partition held just these when it had come to one of the positions of a range. */
  public boolean held(Map<String, Map<String, String>> state, int partition, long from, long to) {
    List<Written> changes =
        rows.stream()
            .filter(row -> row.outcome() == Outcome.APPLIED && row.partition() == partition)
            .sorted(Comparator.comparing(Written::position))
            .toList();
    Map<String, Map<String, String>> at = new TreeMap<>();
    boolean isFound = from == 0 && state.isEmpty();
    for (Written change : changes) {
      change.mutation().applyTo(at);
      boolean isInRange = change.position() >= from && change.position() <= to;
      isFound |= isInRange && at.equals(state);
    }
    return isFound;
  }

  public int count(Outcome outcome) {
    return (int) rows.stream().filter(row -> row.outcome() == outcome).count();
  }

  public List<Written> with(Outcome outcome) {
    return rows.stream().filter(row -> row.outcome() == outcome).toList();
  }

  /**
   * Every acknowledged row was seen at its position as it was written, and whatever else was seen
   * is a row in doubt.
   *
   * @return how many rows in doubt were applied
   */
  public int requireConsumed(Sightings sightings) {
    Map<Place, Written> acknowledged = new HashMap<>();
    Map<Mutation, Integer> inDoubt = new HashMap<>();
    for (Written row : rows) {
      if (row.outcome() == Outcome.APPLIED) {
        Written other = acknowledged.put(new Place(row.partition(), row.position()), row);
        assertThat(other).as("two rows were acknowledged at one position").isNull();
      } else if (row.outcome() == Outcome.IN_DOUBT) {
        inDoubt.merge(row.mutation(), 1, Integer::sum);
      }
    }
    int applied = 0;
    for (List<Seen> channel : sightings.changes().values()) {
      for (Seen seen : channel) {
        Written row = acknowledged.remove(new Place(seen.partition(), seen.position()));
        if (row != null) {
          assertThat(seen.mutation()).as("content of %s", row).isEqualTo(row.mutation());
        } else {
          int left = inDoubt.merge(seen.mutation(), -1, Integer::sum);
          assertThat(left).as("nobody wrote, or doubts, %s", seen).isNotNegative();
          applied++;
        }
      }
    }
    assertThat(acknowledged.values()).as("acknowledged, and never consumed").isEmpty();
    return applied;
  }

  /** The table holds exactly what the changes make of an empty one. */
  public static void requireTable(TableClient client, String table, Sightings sightings) {
    assertThat(rowsOf(client, table, RangeQuery.ALL)).isEqualTo(sightings.rows());
  }

  public static Map<String, Map<String, String>> rowsOf(
      TableClient client, String table, RangeQuery query) {
    Map<String, Map<String, String>> rows = new TreeMap<>();
    for (Row row : client.getRange(table, query)) {
      Object before = rows.put(Mutation.text(row.primaryKey()), Mutation.columnsOf(row));
      assertThat(before).as("%s came twice", row).isNull();
    }
    return rows;
  }
}
