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

  @Test
  void a_writer_that_is_refused_is_taken_under_the_date_that_it_is_told_and_stays_the_same() {
    TableInfo table = table();
    Writer writer = new Writer(table);
    for (long date : new long[] {0, -1, Long.MAX_VALUE}) {
      long former = writer.dated(date);
      long told = writer.requireEnded(1, 0, add(1, 10));
      assertThat(told).as("for date %d", date).isPositive();
      writer.dated(date == Long.MAX_VALUE ? told : former);
    }
    assertThat(writer.write(3, 0, add(1, 1)).appliedRows()).isEqualTo(1);
    long told = writer.requireEnded(5, 4, add(1, 100));
    long former = writer.dated(told);
    assertThat(writer.write(6, 0, add(1, 1)).appliedRows()).isEqualTo(1);
    var unused = writer.dated(former);
    writer.requireEnded(5, 0, add(1, 1_000));
    assertThat(value(table, 1)).as("the batch of the former date comes late").isEqualTo(2);
  }
}
