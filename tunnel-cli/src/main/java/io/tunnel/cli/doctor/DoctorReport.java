package io.tunnel.cli.doctor;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.CheckReport.ShardReport;
import io.tunnel.server.check.Problem;
import io.tunnel.server.check.Problem.Weight;
import io.tunnel.terminal.Human;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the doctor says.
 *
 * @param isCompared whether rows were held against the log
 * @param label of what was done
 * @param repaired what was done, or would be, if that was asked for
 */
record DoctorReport(
    Path data, CheckReport found, boolean isCompared, String label, List<String> repaired) {

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  DoctorReport {
    repaired = List.copyOf(repaired);
  }

  /** One problem as JSON. */
  private record Entry(String kind, String weight, String place, String text, String advice) {}

  /** Everything as JSON. */
  private record Summary(
      String data,
      boolean isSound,
      int tables,
      int tunnels,
      boolean isCompared,
      List<ShardReport> shards,
      List<Entry> problems,
      List<String> repaired) {}

  /** One object. */
  String json() {
    List<Entry> entries = new ArrayList<>();
    for (Problem problem : found.problems()) {
      entries.add(
          new Entry(
              problem.kind().name(),
              problem.kind().weight().name(),
              problem.place(),
              problem.text(),
              problem.kind().advice()));
    }
    return GSON.toJson(
        new Summary(
            data.toString(),
            found.isSound(),
            found.tables(),
            found.tunnels(),
            isCompared,
            found.shards(),
            entries,
            repaired));
  }

  /** For people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "data directory "
            + data
            + ": "
            + Human.counted(found.tables(), "table")
            + ", "
            + Human.counted(found.tunnels(), "tunnel")
            + ", "
            + Human.counted(found.shards().size(), "shard"));
    for (ShardReport shard : found.shards()) {
      lines.add(
          "shard-"
              + shard.shard()
              + ": read "
              + Human.bytes(shard.logBytes())
              + " of changes, "
              + (isCompared
                  ? "compared " + Human.counted(shard.rowsCompared(), "row")
                  : "rows not compared")
              + skipped(shard));
    }
    repaired.forEach(deed -> lines.add(label + ": " + deed));
    for (Problem problem : found.problems()) {
      lines.add("");
      lines.add(
          (problem.kind().weight() == Weight.WRONG ? "WRONG " : "note  ")
              + problem.kind()
              + ", "
              + problem.place()
              + ": "
              + problem.text());
      lines.add("      what to do: " + problem.kind().advice());
    }
    if (!found.problems().isEmpty()) {
      lines.add("");
    }
    lines.add(verdict());
    return lines;
  }

  private static String skipped(ShardReport shard) {
    return shard.partitionsSkipped() == 0
        ? ""
        : "; not those of "
            + Human.counted(shard.partitionsSkipped(), "partition")
            + ", whose oldest changes are not kept any more";
  }

  private String verdict() {
    long wrong = found.problems().stream().filter(p -> p.kind().weight() == Weight.WRONG).count();
    return wrong == 0
        ? "sound: a server can start on it, and nothing is missing"
        : "not sound: " + Human.counted(wrong, "problem");
  }
}
