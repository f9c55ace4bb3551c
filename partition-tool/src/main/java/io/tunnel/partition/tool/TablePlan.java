package io.tunnel.partition.tool;

import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import java.util.List;

/**
 * A table as it is to be.
 *
 * @param options the options that were asked for: of the others a new table gets the default, and a
 *     table that exists may have any
 */
record TablePlan(String table, List<PrimaryKeySchema> key, OptionsChange options, SplitPlan split) {

  TablePlan {
    key = List.copyOf(key);
  }

  /** What is sent to the server; refuses what no table can be. */
  TableMeta meta() {
    return new TableMeta(table, key, options.over(TableOptions.DEFAULT));
  }
}
