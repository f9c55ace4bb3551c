package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.table.TableInfo;
import org.junit.jupiter.api.Test;

/** What is true of writers that number and break the rules, which the fake does not allow. */
abstract class EndedWritersContract extends WritersContract {

  @Test
  void a_batch_behind_a_later_one_or_behind_one_that_is_missing_is_refused_by_name() {
    TableInfo table = table();
    Writer writer = new Writer(table);
    assertThat(writer.write(3, 0, add(1, 1)).appliedRows()).isEqualTo(1);
    writer.requireEnded(2, 0, add(1, 10));
    writer.requireEnded(5, 4, add(1, 100));
    assertThat(writer.write(5, 3, add(1, 1)).appliedRows()).isEqualTo(1);
    new Writer(table).requireEnded(2, 1, add(1, 1_000));
    assertThat(value(table, 1)).isEqualTo(2);
  }
}
