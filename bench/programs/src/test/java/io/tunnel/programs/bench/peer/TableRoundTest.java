package io.tunnel.programs.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tunnel.programs.bench.load.TurnedClock;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class TableRoundTest {

  private static final int ROWS = 1_000;
  private static final int SECONDS_MAX = 7;

  private final List<String> calls = new ArrayList<>();
  private final List<String> watched = new ArrayList<>();
  private final TurnedClock clock = new TurnedClock();
  private final SlowTable peer = new SlowTable();

  /** Acknowledges after a second, has rows in its table three seconds later, and loses some. */
  private final class SlowTable implements TablePeer {
    private final AtomicLong rows = new AtomicLong();
    private long rowsLost;

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public void create(String table, int partitions) {
      calls.add("create " + table + " of " + partitions);
    }

    @Override
    public void drop(String table) {
      calls.add("drop " + table);
    }

    @Override
    public RowWriter openWriter(String table) {
      return new RowWriter() {
        @Override
        public void add(SourceRow row, Acknowledged acknowledged) {
          rows.incrementAndGet();
          acknowledged.completed(row.sequence(), true);
        }

        @Override
        public void flush() {
          calls.add("flush");
          clock.pass(TimeUnit.SECONDS.toNanos(1));
        }

        @Override
        public void close() {
          calls.add("close");
        }
      };
    }

    @Override
    public RowReader openReader(String table, Look look, Arrivals arrivals) {
      throw new UnsupportedOperationException();
    }

    @Override
    public OptionalLong serverCpuNanos() {
      return OptionalLong.of(rows.get() * 5_000);
    }

    @Override
    public long rowsKept() {
      return rows.get();
    }

    @Override
    public void awaitKept(String table, long wanted, long secondsMax) {
      calls.add("await " + wanted + " in " + secondsMax + " s");
      clock.pass(TimeUnit.SECONDS.toNanos(3));
    }

    @Override
    public void requireKept(String table, long wanted) {
      if (rows.get() - rowsLost != wanted) {
        throw CommandFailure.failed("some are missing");
      }
      calls.add("count");
    }
  }

  private Progress.Watch watch(String verb, long total, LongSupplier done) {
    watched.add(verb);
    return () -> watched.add(verb + ": " + done.getAsLong() + " of " + total);
  }

  private Figures run() throws Exception {
    return new TableRound(
            new RowLoad(2, 10, RowPlan.DEFAULT, Progress.NONE, clock),
            3,
            SECONDS_MAX,
            this::watch,
            clock)
        .run(peer, "t1", ROWS);
  }

  @Test
  void time_ends_when_the_last_row_is_in_the_table_and_cpu_when_servers_have_settled()
      throws Exception {
    Figures figures = run();
    assertThat(figures.get(WriteRound.RATE)).isEqualTo(ROWS / 4.0, within(1e-6));
    assertThat(figures.get(TableRound.ACKNOWLEDGED)).isEqualTo(ROWS, within(1e-6));
    assertThat(figures.get("server CPU us/row")).isEqualTo(5, within(1e-6));
    assertThat(calls)
        .containsExactly(
            "create t1 of 3", "flush", "await 1000 in 7 s", "close", "count", "drop t1");
    assertThat(watched).containsExactly("in the table", "in the table: 1000 of 1000");
  }

  @Test
  void a_table_without_all_rows_is_no_figure() {
    peer.rowsLost = 1;
    assertThatThrownBy(this::run).isInstanceOf(CommandFailure.class).hasMessage("some are missing");
  }
}
