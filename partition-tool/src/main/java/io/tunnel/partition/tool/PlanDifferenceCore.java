package io.tunnel.partition.tool;

import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where a table that exists is not what a plan asks for. */
final class PlanDifferenceCore {

  private PlanDifferenceCore() {}

  /**
   * One text for each difference: the table first, then the plan. Empty when the table is as
   * planned.
   */
  static List<String> differences(TablePlan plan, TableInfo table) {
    List<String> differences = new ArrayList<>();
    boolean sameKey = plan.key().equals(table.meta().primaryKey());
    if (!sameKey) {
      differences.add(
          "its key is "
              + KeyText.formatSchema(table.meta().primaryKey())
              + " where the plan has "
              + KeyText.formatSchema(plan.key()));
    }
    Durability durability = table.meta().options().durability();
    if (plan.options().durability().filter(wanted -> wanted != durability).isPresent()) {
      differences.add(
          "its durability is "
              + durability
              + " where the plan has "
              + plan.options().durability().orElseThrow());
    }
    TableOptions options = table.meta().options();
    addRetention(differences, "milliseconds", options.retentionMs(), plan.options().retentionMs());
    addRetention(differences, "bytes", options.retentionBytes(), plan.options().retentionBytes());
    addTtl(differences, options.ttlMs().orElse(0L), plan.options().ttlMs());
    int partitions = table.partitions().size();
    if (partitions != plan.split().partitions()) {
      differences.add(
          "it has " + partitions + " partitions where the plan has " + plan.split().partitions());
    } else if (sameKey) {
      addPoints(differences, plan, table);
    }
    return differences;
  }

  private static void addRetention(
      List<String> differences, String unit, long existing, Optional<Long> wanted) {
    if (wanted.isPresent() && wanted.get() != existing) {
      differences.add(
          "its retention is "
              + existing
              + " "
              + unit
              + " where the plan has "
              + wanted.get()
              + " ('tunnel tables alter' changes it)");
    }
  }

  private static void addTtl(List<String> differences, long existing, Optional<Long> wanted) {
    if (wanted.isPresent() && wanted.get() != existing) {
      differences.add(
          "its rows live for "
              + existing
              + " milliseconds (0: for ever) where the plan has "
              + wanted.get());
    }
  }

  /** Spells out only the first split point that differs: often all points differ. */
  private static void addPoints(List<String> differences, TablePlan plan, TableInfo table) {
    int differing = 0;
    int first = -1;
    for (int i = 0; i < plan.split().points().size(); i++) {
      if (!from(table, i + 1).equals(Optional.of(plan.split().points().get(i)))) {
        differing++;
        first = first < 0 ? i : first;
      }
    }
    if (differing > 0) {
      differences.add(
          "split point "
              + (first + 1)
              + " is "
              + from(table, first + 1).map(KeyText::format).orElse("none")
              + " where the plan has "
              + KeyText.format(plan.split().points().get(first))
              + (differing == 1 ? "" : " (and " + (differing - 1) + " more differ)"));
    }
  }

  private static Optional<PrimaryKeyValue> from(TableInfo table, int index) {
    return table.partitions().get(index).from();
  }
}
