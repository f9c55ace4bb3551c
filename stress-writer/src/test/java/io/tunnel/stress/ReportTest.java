package io.tunnel.stress;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.file.InDoubtFile;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final long SECOND = 1_000_000_000L;

  private static WriteTally.Counts applied(long rows, long bytes) {
    return new WriteTally.Counts(rows, bytes, 0, 0, 0, 0);
  }

  @Test
  void the_first_line_counts_from_the_start_and_each_next_from_the_one_before() {
    ReportCore core = new ReportCore(100 * SECOND);
    assertThat(core.sinceLast(102 * SECOND, applied(1_000, 4_000_000)))
        .isEqualTo(new ReportCore.Rates(2, 500, 2e6));
    assertThat(core.sinceLast(102 * SECOND + SECOND / 2, applied(1_100, 4_500_000)))
        .isEqualTo(new ReportCore.Rates(0.5, 200, 1e6));
    assertThat(core.sinceStart(104 * SECOND, applied(2_000, 8_000_000)))
        .isEqualTo(new ReportCore.Rates(4, 500, 2e6));
  }

  @Test
  void a_line_over_no_time_has_no_rate_and_leaves_its_rows_to_the_next() {
    ReportCore core = new ReportCore(0);
    assertThat(core.sinceLast(0, applied(10, 0))).isEqualTo(new ReportCore.Rates(0, 0, 0));
    assertThat(core.sinceLast(SECOND, applied(10, 0)).rowsPerSecond()).isEqualTo(10);
  }

  @Test
  void a_line_has_milliseconds_to_three_digits() {
    Histogram micros = new Histogram(3);
    micros.recordValue(1_500);
    WriteTally.Counts counts = new WriteTally.Counts(5, 1_100, 2, 3, 4, 6);
    StressLine line =
        StressLine.of(
            "interval", 77, ReportCore.Rates.of(applied(0, 0), counts, SECOND), counts, micros, 9);
    assertThat(line)
        .isEqualTo(
            new StressLine(
                "interval", 77, 1_000, 5, 5, 1_100, 1_100, 1.5, 1.5, 1.5, 1.5, 6, 3, 9, 6));
  }

  @Test
  void a_row_in_doubt_is_written_whole_as_json() {
    PrimaryKey key = PrimaryKey.builder().add("b", new byte[] {1}).add("n", 7).build();
    String put =
        InDoubtFile.toJson(
            new RowPutChange(
                key,
                List.of(
                    new Column("d", ColumnValue.fromDouble(Double.NaN)),
                    new Column("t", ColumnValue.fromBoolean(true)))));
    assertThat(put)
        .isEqualTo(
            "{\"kind\":\"PUT\",\"key\":{\"b\":\"01\",\"n\":7},"
                + "\"columns\":{\"d\":{\"type\":\"DOUBLE\",\"value\":\"NaN\"},"
                + "\"t\":{\"type\":\"BOOLEAN\",\"value\":true}}}");
    String update =
        InDoubtFile.toJson(
            new RowUpdateChange(
                key,
                List.of(
                    new ColumnUpdate.Put("s", ColumnValue.fromString("<&>")),
                    new ColumnUpdate.Delete("x"))));
    JsonObject columns =
        JsonParser.parseString(update).getAsJsonObject().getAsJsonObject("columns");
    assertThat(columns.getAsJsonObject("s").get("value").getAsString()).isEqualTo("<&>");
    assertThat(columns.get("x").isJsonNull()).isTrue();
    assertThat(update).contains("<&>");
    assertThat(InDoubtFile.toJson(new RowDeleteChange(key))).contains("\"kind\":\"DELETE\"");
  }
}
