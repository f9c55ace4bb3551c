package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.Durability;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.report.Machine;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportJson;
import io.tunnel.programs.bench.report.ReportText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PeersReportTest {

  private static final Machine MACHINE = new Machine(2, 24L << 30, "17.0.1", "Linux 6 amd64");
  private static final List<Look> LOOKS = List.of(Look.COUNT, Look.TOUCH);

  private static PeersSetup setup(Set<Part> parts, Optional<String> kafka) {
    return new PeersSetup(
        new BesidePlan(
            5_000,
            1,
            parts,
            LOOKS,
            new BesidePlan.LatencyPlan(0, 10, 500),
            new BatchSettings(5, 64L << 20, 64 << 10, 256 << 10)),
        List.of(1, 8),
        Set.of(Durability.OS, Durability.FSYNC),
        2,
        kafka,
        "tunnel 1");
  }

  private static Figures figures(Object... namesAndValues) {
    Figures figures = new Figures();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      figures.put((String) namesAndValues[i], ((Number) namesAndValues[i + 1]).doubleValue());
    }
    return figures;
  }

  /** Kafka's figures, and ours as multiples of them. */
  private static Rounds rounds(double kafkaServer) {
    Rounds rounds = new Rounds();
    add(rounds, "kafka", 1, kafkaServer);
    add(rounds, "tunnel OS", 2, 3);
    rounds.add(
        Rounds.WRITE,
        "tunnel FSYNC",
        figures("rows/s", 500, "client CPU us/row", 3, "server CPU us/row", 4));
    addTable(rounds, "kafka table", 200, kafkaServer);
    addTable(rounds, "tunnel OS", 900, 3);
    addTable(rounds, "tunnel FSYNC", 500, 4);
    return rounds;
  }

  private static void addTable(Rounds rounds, String peer, double rate, double server) {
    rounds.add(
        Rounds.TABLE,
        peer,
        figures(
            "rows/s",
            rate,
            "acknowledged rows/s",
            rate + 100,
            "client CPU us/row",
            1,
            "server CPU us/row",
            server));
  }

  private static void add(Rounds rounds, String peer, double factor, double server) {
    rounds.add(
        Rounds.WRITE,
        peer,
        figures("rows/s", 1_000 * factor, "client CPU us/row", 2, "server CPU us/row", server));
    for (Look look : LOOKS) {
      rounds.add(
          Rounds.read(look),
          peer,
          figures(
              "rows/s",
              3_000 * factor * factor,
              "steady rows/s",
              4_000 * factor,
              "start-up ms",
              20 / factor,
              "client CPU us/row",
              0.5,
              "server CPU us/row",
              server));
    }
    for (String test : List.of(Rounds.LATENCY_LOADED, Rounds.LATENCY_IDLE)) {
      rounds.add(
          test, peer, figures("acked-seen p99 ms", 8 * factor, "due-seen p99 ms", 16 / factor));
    }
  }

  private static Report report(PeersSetup setup, double kafkaServer) {
    return PeersReport.of(
        setup,
        0.2,
        16_000,
        List.of(
            new Measured(1, rounds(kafkaServer), 16_000),
            new Measured(8, rounds(kafkaServer), 16_000)));
  }

  private static JsonObject json(Report report) {
    return JsonParser.parseString(ReportJson.line(report, MACHINE)).getAsJsonObject();
  }

  private static JsonObject first(Report report) {
    return json(report).getAsJsonArray("byPartitions").get(0).getAsJsonObject();
  }

  @Test
  void programs_get_the_ratios_of_each_number_of_partitions() {
    Report report = report(setup(Set.of(Part.values()), Optional.empty()), 1);
    JsonArray all = json(report).getAsJsonArray("byPartitions");
    assertThat(all).hasSize(2);
    assertThat(all.get(1).getAsJsonObject().get("partitions").getAsInt()).isEqualTo(8);
    JsonObject first = first(report);
    assertThat(first.get("writeRatio").getAsDouble()).isEqualTo(2);
    assertThat(first.get("writeRatioFsync").getAsDouble()).isEqualTo(0.5);
    assertThat(first.get("readRatio").toString()).isEqualTo("{\"count\":4,\"touch\":4}");
    assertThat(first.get("readSteadyRatio").toString()).isEqualTo("{\"count\":2,\"touch\":2}");
    assertThat(first.get("latencyP99Ratio").toString())
        .isEqualTo(
            "{\"loaded\":{\"acknowledgedToCallback\":2,\"dueToCallback\":0.5},"
                + "\"idle\":{\"acknowledgedToCallback\":2,\"dueToCallback\":0.5}}");
    assertThat(first.getAsJsonObject("cpuPerMillionRows").get("write").toString())
        .isEqualTo(
            "{\"kafka\":{\"client\":2,\"server\":1},\"tunnel\":{\"client\":2,\"server\":3},"
                + "\"tunnelFsync\":{\"client\":3,\"server\":4}}");
    assertThat(first.getAsJsonObject("cpuPerMillionRows").get("readTouch").toString())
        .isEqualTo(
            "{\"kafka\":{\"client\":0.5,\"server\":1},\"tunnel\":{\"client\":0.5,\"server\":3}}");
  }

  @Test
  void tables_are_held_against_the_one_that_is_kept_of_kafkas_topic() {
    Report report = report(setup(Set.of(Part.TABLE), Optional.empty()), 7);
    JsonObject first = first(report);
    assertThat(first.get("tableWriteRatio").getAsDouble()).isEqualTo(4.5);
    assertThat(first.get("tableWriteRatioFsync").getAsDouble()).isEqualTo(2.5);
    assertThat(first.get("tableWriteRowsPerSecond").toString())
        .isEqualTo("{\"kafka\":200,\"tunnel\":900,\"tunnelFsync\":500}");
    assertThat(first.get("tableWriteAcknowledgedRowsPerSecond").toString())
        .isEqualTo("{\"kafka\":300,\"tunnel\":1000,\"tunnelFsync\":600}");
    assertThat(first.getAsJsonObject("cpuPerMillionRows").toString())
        .isEqualTo(
            "{\"tableWrite\":{\"kafka\":{\"client\":1,\"server\":7},"
                + "\"tunnel\":{\"client\":1,\"server\":3},"
                + "\"tunnelFsync\":{\"client\":1,\"server\":4}}}");
    assertThat(first.has("writeRatio")).isFalse();
    assertThat(report.plots())
        .extracting(Plot::name)
        .containsExactly("ratios", "table", "table-acknowledged", "cpu-table");
    assertThat(String.join("\n", ReportText.lines(report)))
        .contains("topology.optimization=all", "kafka table");
  }

  @Test
  void the_raw_ceiling_stands_beside_the_steady_reads() {
    Report report = report(setup(Set.of(Part.READ), Optional.empty()), 1);
    assertThat(json(report).get("rawCeilingRowsPerSecond").getAsDouble()).isEqualTo(16_000);
    JsonObject first = first(report);
    assertThat(first.get("readShareOfCeiling").toString())
        .isEqualTo(
            "{\"count\":{\"kafka\":0.25,\"tunnel\":0.5},\"touch\":{\"kafka\":0.25,\"tunnel\":0.5}}");
    assertThat(ReportText.lines(report))
        .anySatisfy(line -> assertThat(line).contains("tunnel touch", "raw ceiling"));
  }

  @Test
  void the_cpu_time_of_somebody_elses_broker_is_null_and_said_to_be_unknown() {
    Report report = report(setup(Set.of(Part.values()), Optional.of("there:9092")), Double.NaN);
    assertThat(first(report).getAsJsonObject("cpuPerMillionRows").get("write").toString())
        .contains("\"kafka\":{\"client\":2,\"server\":null}", "\"client\":2,\"server\":3");
    assertThat(String.join("\n", ReportText.lines(report)))
        .contains("The CPU time of the broker at there:9092 is not known here");
    assertThat(json(report).getAsJsonObject("settings").get("kafka").getAsString())
        .isEqualTo("there:9092");
  }

  @Test
  void what_was_not_measured_has_no_member_no_table_and_no_chart() {
    Report report = report(setup(Set.of(Part.WRITE), Optional.empty()), 1);
    assertThat(first(report).keySet())
        .containsExactlyInAnyOrder(
            "partitions",
            "writeRatio",
            "writeRatioFsync",
            "writeRowsPerSecond",
            "cpuPerMillionRows");
    assertThat(report.plots())
        .extracting(Plot::name)
        .containsExactly("ratios", "write", "cpu-write");
  }

  @Test
  void the_settings_say_how_kafka_was_measured() {
    assertThat(setup(Set.of(Part.WRITE), Optional.empty()).settings())
        .containsAllEntriesOf(
            Map.of(
                "kafkaAcks", "1",
                "kafkaReplication", "1",
                "kafkaBatchBytes", "65536",
                "kafka", "own broker",
                "only", "write",
                "durability", "fsync,os",
                "partitions", "1,8",
                "version", "tunnel 1"));
  }
}
