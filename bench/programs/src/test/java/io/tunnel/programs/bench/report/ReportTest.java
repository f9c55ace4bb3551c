package io.tunnel.programs.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  private static final Machine MACHINE = new Machine(2, 24L << 30, "17.0.1", "Linux 6 amd64");

  private static final Grid GRID =
      new Grid(
          "points",
          "against partitions",
          List.of(
              new Grid.Column("partitions", "partitions"),
              new Grid.Column("writeRowsPerSecond", "written rows/s")),
          List.of(List.of(1.0, 500_000.0), List.of(8.0, Double.NaN), List.of(64.0, 910_000.25)));

  @TempDir Path directory;

  private static Report report(Plot... plots) {
    return new Report(
        "quick",
        "bench <quick>",
        Map.of("rows", "1000"),
        List.of(
            new Figure("writeRowsPerSecond", "written rows/s", 912_345.6),
            new Figure("latencyP99Ms", "p99, ms", 1.25),
            new Figure("readRowsPerSecond", "read rows/s", Double.NaN)),
        List.of(GRID),
        List.of(plots),
        List.of("A remark."));
  }

  private static Plot plot(String name, Axis x, Axis y, Plot.Curve... curves) {
    return Plot.of(name, "A chart", x, y, List.of(curves));
  }

  @Test
  void people_get_a_table_and_a_dash_where_there_is_no_number() {
    assertThat(ReportText.lines(report()))
        .containsExactly(
            "bench <quick>",
            "",
            "what             figure",
            "written rows/s  912,346",
            "p99, ms           1.250",
            "read rows/s           -",
            "",
            "against partitions",
            "partitions  written rows/s",
            "         1         500,000",
            "         8               -",
            "        64         910,000",
            "",
            "A remark.");
  }

  @Test
  void programs_get_one_object_without_the_numbers_that_are_not_there() {
    String line = ReportJson.line(report(), MACHINE);
    assertThat(line).doesNotContain("\n");
    JsonObject object = JsonParser.parseString(line).getAsJsonObject();
    assertThat(object.get("bench").getAsString()).isEqualTo("quick");
    assertThat(object.get("writeRowsPerSecond").getAsDouble()).isEqualTo(912_345.6);
    assertThat(object.has("readRowsPerSecond")).isFalse();
    assertThat(object.getAsJsonObject("machine").get("cores").getAsInt()).isEqualTo(2);
    assertThat(object.getAsJsonObject("settings").get("rows").getAsString()).isEqualTo("1000");
    assertThat(object.getAsJsonArray("points").toString())
        .isEqualTo(
            "[{\"partitions\":1,\"writeRowsPerSecond\":500000},{\"partitions\":8},"
                + "{\"partitions\":64,\"writeRowsPerSecond\":910000.25}]");
  }

  @Test
  void grids_of_one_name_are_parts_of_one_array_and_points_make_objects() {
    Grid.Column known = new Grid.Column("partitions", "partitions");
    Grid rates =
        new Grid(
            "all",
            "rates",
            List.of(known, new Grid.Column("rows.read.ours", "ours", true)),
            List.of(List.of(1.0, 5.0), List.of(8.0, 6.0)));
    Grid costs =
        new Grid(
            "all",
            "costs",
            List.of(
                known,
                new Grid.Column("rows.read.theirs", "theirs", true),
                new Grid.Column("rows.made", "made")),
            List.of(List.of(1.0, Double.NaN, Double.NaN), List.of(8.0, 7.0, 8.0)));
    Report report =
        new Report("x", "x", Map.of(), List.of(), List.of(rates, costs), List.of(), List.of());
    assertThat(ReportJson.line(report, MACHINE))
        .endsWith(
            "\"all\":[{\"partitions\":1,\"rows\":{\"read\":{\"ours\":5,\"theirs\":null}}},"
                + "{\"partitions\":8,\"rows\":{\"read\":{\"ours\":6,\"theirs\":7},\"made\":8}}]}");
  }

  @Test
  void the_page_shows_every_chart_that_lies_beside_it() throws IOException {
    Plot.Curve rates = GRID.curve("write", "partitions", "writeRowsPerSecond", false);
    Plot.Curve other = new Plot.Curve("latency", true, rates.points());
    Report report =
        report(
            plot("rates", Axis.logarithmic("partitions"), Axis.logarithmic("rows/s"), rates),
            new Plot(
                "both",
                "Two scales",
                Axis.logarithmic("partitions"),
                Axis.linear("rows/s"),
                Optional.of(Axis.linear("ms")),
                List.of(rates, other)));
    ReportFiles.in(directory.resolve("new/report")).write(report, MACHINE);
    Path made = directory.resolve("new/report");
    assertThat(Files.readString(made.resolve("index.html")))
        .contains("<h1>bench &lt;quick&gt;</h1>", "src=\"rates.png\"", "src=\"both.png\"")
        .contains("912,346", "report.json", "2 cores, 24 GiB");
    assertThat(Files.readString(made.resolve("report.json")))
        .isEqualTo(ReportJson.line(report, MACHINE) + "\n");
    for (String chart : List.of("rates.png", "both.png")) {
      assertThat(ImageIO.read(made.resolve(chart).toFile()).getWidth()).isEqualTo(960);
    }
  }

  @Test
  void curves_without_points_and_scales_of_one_number_or_of_zero_are_drawn() throws IOException {
    Axis x = Axis.logarithmic("x");
    Axis y = Axis.logarithmic("y");
    Plot.Curve one = new Plot.Curve("one", false, List.of(new Plot.Point(8, 3)));
    Plot.Curve flat =
        new Plot.Curve("flat", false, List.of(new Plot.Point(1, 5), new Plot.Point(8, 5)));
    Plot.Curve zero =
        new Plot.Curve("zero", false, List.of(new Plot.Point(1, 0), new Plot.Point(8, 5)));
    Plot.Curve nothing =
        new Plot.Curve("nothing", false, List.of(new Plot.Point(0, 0), new Plot.Point(1, 0)));
    Report report =
        report(
            plot("empty", x, y, new Plot.Curve("none", false, List.of())),
            plot("bare", x, y),
            plot("one", x, y, one),
            plot("flat", x, y, flat),
            plot("zero", x, y, zero, flat),
            plot("nothing", x, y, nothing));
    ReportFiles.in(directory).write(report, MACHINE);
    for (String name : List.of("empty", "bare", "one", "flat", "zero", "nothing")) {
      assertThat(directory.resolve(name + ".png")).as(name).isNotEmptyFile();
    }
  }

  @Test
  void a_full_disk_leaves_the_earlier_report_and_no_half_of_this_one() throws IOException {
    Files.writeString(directory.resolve(ReportFiles.JSON), "earlier");
    Files.createSymbolicLink(directory.resolve("index.html.part"), Path.of("/dev/full"));
    assertThatThrownBy(() -> ReportFiles.in(directory).write(report(), MACHINE))
        .isInstanceOfSatisfying(
            CommandFailure.class, full -> assertThat(full.exitCode()).isEqualTo(ExitCode.IO))
        .hasMessageContaining("was not written: No space left on device; the files there are of");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactly(ReportFiles.JSON);
    }
    assertThat(Files.readString(directory.resolve(ReportFiles.JSON))).isEqualTo("earlier");
  }

  @Test
  void a_place_that_is_no_directory_fails_before_anything_is_measured() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThatThrownBy(() -> ReportFiles.in(file))
        .isInstanceOfSatisfying(
            CommandFailure.class, failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.IO))
        .hasMessageContaining("cannot be made");
  }

  @Test
  void people_are_shown_some_of_many_rows_and_told_so() {
    List<List<Double>> rows = IntStream.range(0, 100).mapToObj(i -> List.of((double) i)).toList();
    Grid grid = new Grid("all", "seen", List.of(new Grid.Column("n", "n")), rows);
    assertThat(grid.shownTitle()).isEqualTo("seen (20 of 100 rows)");
    assertThat(grid.shownRows()).hasSize(20).startsWith(List.of(0.0), List.of(5.0));
    Grid short24 = new Grid("all", "seen", grid.columns(), rows.subList(0, 24));
    assertThat(short24.shownTitle()).isEqualTo("seen");
    assertThat(short24.shownRows()).hasSize(24);
  }

  @Test
  void a_row_has_as_many_numbers_as_there_are_columns() {
    assertThatThrownBy(
            () -> new Grid("a", "a", List.of(new Grid.Column("x", "x")), List.of(List.of())))
        .hasMessage("a row of 0 numbers under 1 columns");
  }

  @Test
  void a_curve_at_the_right_needs_a_scale_there() {
    assertThatThrownBy(
            () ->
                plot("a", Axis.linear("x"), Axis.linear("y"), new Plot.Curve("c", true, List.of())))
        .hasMessageContaining("has no scale");
  }
}
