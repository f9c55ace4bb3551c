package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.programs.bench.report.Machine;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportJson;
import io.tunnel.programs.bench.report.ReportText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeedsReportTest {

  private static Report report(double scale, boolean hasPeers) throws IOException {
    Workload ice = WorkloadFile.own("002");
    List<SeedRow> rows = new ArrayList<>();
    for (int threads : List.of(1, 4)) {
      for (Workload.Load load : ice.loads().subList(0, 2)) {
        rows.add(
            new SeedRow(
                "repeat",
                load.scaled(scale),
                Optional.of(threads),
                Map.of(Figure.PER_SECOND, 5_000.0, Figure.AVERAGE_MS, 0.5),
                hasPeers ? Optional.of(Map.of(Figure.PER_SECOND, 9_000.0)) : Optional.empty(),
                ice.published("repeat", load, Optional.of(threads))));
      }
    }
    return SeedsReport.of(
        new SeedsCommand.Plan(List.of(ice), scale, 7, hasPeers, Optional.empty(), List.of()),
        List.of(new SeedsResult(ice, "a bare echo", rows, 16, List.of("The peer was tired."))));
  }

  @Test
  void a_case_is_one_object_with_ours_the_peer_s_and_the_published_figures() throws IOException {
    Report report = report(1, true);
    JsonObject json =
        JsonParser.parseString(ReportJson.line(report, Machine.here())).getAsJsonObject();
    assertThat(json.getAsJsonArray("seed002Repeat")).hasSize(4);
    JsonObject last = json.getAsJsonArray("seed002Repeat").get(3).getAsJsonObject();
    assertThat(last.get("clients").getAsInt()).isEqualTo(800);
    assertThat(last.get("threads").getAsInt()).isEqualTo(4);
    assertThat(last.get("perSecond").getAsDouble()).isEqualTo(5_000);
    assertThat(last.getAsJsonObject("peer").get("perSecond").getAsDouble()).isEqualTo(9_000);
    assertThat(last.getAsJsonObject("published").get("averageMs").getAsDouble()).isEqualTo(18.07);
    assertThat(json.getAsJsonObject("settings").get("002").getAsString())
        .contains("net.threads as in the rows", "connectionsPerAddressMax 3016", "default heap");
  }

  @Test
  void people_are_told_scale_hardware_and_what_was_left_out() throws IOException {
    List<String> lines = ReportText.lines(report(0.1, false));
    assertThat(lines).contains("002, repeat: this service", "002, repeat: published");
    assertThat(lines).noneMatch(line -> line.contains("bare echo"));
    assertThat(String.join("\n", lines))
        .contains(
            "Scale 0.1: clients, requests, rows and seconds are that",
            "Intel Xeon X3320",
            "The peer was tired.",
            "Seed 002: 16 cases were left out, because --minutes-max was over.");
  }

  @Test
  void queues_are_told_with_their_parties_and_drawn_for_one_size() throws IOException {
    Workload jtang = WorkloadFile.own("004");
    List<SeedRow> rows = new ArrayList<>();
    for (Workload.Load load : List.of(jtang.loads().get(3), jtang.loads().get(5))) {
      rows.add(
          new SeedRow(
              "P_T",
              load,
              Optional.empty(),
              Map.of(Figure.RECEIVED_PER_SECOND, 5_000.0),
              Optional.of(Map.of(Figure.RECEIVED_PER_SECOND, 9_000.0)),
              jtang.published("P_T", load, Optional.empty())));
    }
    Report report =
        SeedsReport.of(
            new SeedsCommand.Plan(List.of(jtang), 0.1, 7, true, Optional.empty(), List.of()),
            List.of(new SeedsResult(jtang, "a broker", rows, 0, List.of())));
    JsonObject json =
        JsonParser.parseString(ReportJson.line(report, Machine.here())).getAsJsonObject();
    JsonObject first = json.getAsJsonArray("seed004P_T").get(0).getAsJsonObject();
    assertThat(first.get("senders").getAsInt()).isEqualTo(500);
    assertThat(first.get("connections").getAsInt()).isEqualTo(50);
    assertThat(first.get("queues").getAsInt()).isEqualTo(20);
    assertThat(first.getAsJsonObject("published").get("receivedPerSecond").getAsDouble())
        .isEqualTo(207.21);
    assertThat(json.getAsJsonObject("settings").get("004").getAsString())
        .contains("connectionsPerAddressMax 76", "1 s of warm-up and 3 s an operation");
    assertThat(report.plots()).extracting(Plot::name).containsExactly("seed004-P_T-rate");
    assertThat(report.plots().get(0).curves().get(0).points())
        .as("the messages of the first size")
        .containsExactly(new Plot.Point(500, 5_000.0));
    assertThat(String.join("\n", ReportText.lines(report)))
        .contains("none twice", "synced before the answer, but not")
        .doesNotContain("one open request");
  }

  @Test
  void paths_are_told_with_their_servers_and_drawn_against_bytes() throws IOException {
    Workload zooKeeper = WorkloadFile.own("000");
    List<SeedRow> rows = new ArrayList<>();
    for (Workload.Load load : zooKeeper.loads()) {
      if (zooKeeper.operations(load).contains("notifyRead")) {
        rows.add(
            new SeedRow(
                "notifyRead",
                load,
                Optional.empty(),
                Map.of(Figure.PER_SECOND, 5_000.0, Figure.DATA_AVERAGE_MS, 30.0),
                Optional.of(Map.of(Figure.PER_SECOND, 4_000.0)),
                zooKeeper.published("notifyRead", load, Optional.empty())));
      }
    }
    Report report =
        SeedsReport.of(
            new SeedsCommand.Plan(List.of(zooKeeper), 1, 7, true, Optional.empty(), List.of()),
            List.of(new SeedsResult(zooKeeper, "a peer", rows, 0, List.of())));
    JsonObject json =
        JsonParser.parseString(ReportJson.line(report, Machine.here())).getAsJsonObject();
    JsonObject first = json.getAsJsonArray("seed000NotifyRead").get(0).getAsJsonObject();
    assertThat(first.get("servers").getAsInt()).isEqualTo(1);
    assertThat(first.get("subscribers").getAsInt()).isEqualTo(3_000);
    assertThat(first.get("paths").getAsInt()).isEqualTo(200_000);
    assertThat(first.get("dataAverageMs").getAsDouble()).isEqualTo(30);
    assertThat(first.getAsJsonObject("peer").get("perSecond").getAsDouble()).isEqualTo(4_000);
    assertThat(first.getAsJsonObject("published").get("dataRecentMs").getAsDouble())
        .isEqualTo(4_150);
    assertThat(json.getAsJsonObject("settings").get("000").getAsString())
        .contains("connectionsPerAddressMax 8016", "log.shards up to 4", "lease 30 s");
    assertThat(String.join("\n", ReportText.lines(report)))
        .contains("a cluster on one Kafka broker has no bound rows")
        .doesNotContain("p99 data ms");
    Plot plot = report.plots().get(0);
    assertThat(plot.name()).isEqualTo("seed000-notifyRead-rate");
    assertThat(plot.curves())
        .extracting(Plot.Curve::name)
        .contains("this service", "a peer, 3 servers");
    assertThat(plot.curves().get(0).points())
        .extracting(Plot.Point::x)
        .containsExactly(256.0, 1_024.0, 4_096.0);
  }

  @Test
  void all_paths_are_on_one_chart() throws IOException {
    Workload jtang = WorkloadFile.own("004paths");
    List<SeedRow> rows = new ArrayList<>();
    for (String path : List.of("tcp", "tls")) {
      rows.add(
          new SeedRow(
              path,
              jtang.loads().get(1),
              Optional.empty(),
              Map.of(Figure.PER_SECOND, 5.0, Figure.AVERAGE_MS, 0.5),
              Optional.empty(),
              jtang.published(path, jtang.loads().get(1), Optional.empty())));
    }
    Report report =
        SeedsReport.of(
            new SeedsCommand.Plan(List.of(jtang), 1, 7, false, Optional.empty(), List.of()),
            List.of(new SeedsResult(jtang, "no peer", rows, 0, List.of())));
    assertThat(report.plots())
        .extracting(Plot::name)
        .containsExactly("seed004paths-paths-rate", "seed004paths-paths-time");
    assertThat(report.plots().get(1).curves())
        .extracting(curve -> curve.name() + " " + curve.points())
        .contains("tls [Point[x=200.0, y=0.5]]", "tls, published [Point[x=200.0, y=72.0]]");
    assertThat(String.join("\n", ReportText.lines(report)))
        .contains("over loopback as to any server");
  }

  @Test
  void charts_have_the_fewest_and_the_most_threads_of_each_side() throws IOException {
    List<Plot> plots = report(1, true).plots();
    assertThat(plots)
        .extracting(Plot::name)
        .containsExactly("seed002-repeat-rate", "seed002-repeat-time");
    assertThat(plots.get(1).curves())
        .extracting(Plot.Curve::name)
        .containsExactly(
            "this service, 1 thread",
            "a bare echo, 1 thread",
            "published, 1 thread",
            "this service, 4 threads",
            "a bare echo, 4 threads",
            "published, 4 threads");
    assertThat(plots.get(1).curves().get(2).points())
        .containsExactly(new Plot.Point(100, 20.0), new Plot.Point(800, 18.12));
  }
}
