package io.tunnel.partition.tool;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import java.util.List;
import java.util.Optional;

/**
 * A table as it is to be.
 *
 * @param durability absent when nothing was asked for: a new table then gets the default, and a
 *     table that exists may have any
 * @param retention in the same way
 */
record TablePlan(
    String table,
    List<PrimaryKeySchema> key,
    Optional<Durability> durability,
    Retention retention,
    SplitPlan split) {

  TablePlan {
    key = List.copyOf(key);
  }

  /** What is sent to the server; refuses what no table can be. */
  TableMeta meta() {
    return new TableMeta(
        table, key, retention.over(durability.map(TableOptions::new).orElse(TableOptions.DEFAULT)));
  }
}
