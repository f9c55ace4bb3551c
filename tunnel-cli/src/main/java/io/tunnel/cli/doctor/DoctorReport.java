package io.tunnel.cli.doctor;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.CheckReport.ShardReport;
import io.tunnel.server.check.Problem;
import io.tunnel.server.check.Problem.Weight;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the doctor says.
 *
 * @param isQuick whether the operator asked for no comparison of rows
 * @param label of what was done
 * @param repaired what was done, or would be, if that was asked for
 */
record DoctorReport(
    Path data, CheckReport found, boolean isQuick, String label, List<String> repaired) {

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  DoctorReport {
    repaired = List.copyOf(repaired);
  }

  /** Whether rows were to be compared, and not all of them could be. */
  private boolean isPartial() {
    return !isQuick && !found.isCompared();
  }

  /** Of a check: OK only when everything that was to be checked is right. */
  int exitCode() {
    return found.isSound() && isPartial() ? ExitCode.NOT_ALL_CHECKED : exitCodeOfDeed();
  }

  /** Of a repair or a salvage: OK when a server can start now. */
  int exitCodeOfDeed() {
    return found.isSound() ? ExitCode.OK : ExitCode.FAILED;
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
            found.isCompared(),
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
              + compared(shard));
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

  private String compared(ShardReport shard) {
    if (!shard.notCompared().isEmpty()) {
      return "rows not compared" + (isQuick ? "" : ", because " + shard.notCompared());
    }
    return "compared "
        + Human.counted(shard.rowsCompared(), "row")
        + (shard.partitionsSkipped() == 0
            ? ""
            : "; not those of "
                + Human.counted(shard.partitionsSkipped(), "partition")
                + ", whose oldest changes are not kept any more");
  }

  private String verdict() {
    long wrong = found.problems().stream().filter(p -> p.kind().weight() == Weight.WRONG).count();
    if (wrong > 0) {
      return "not sound: " + Human.counted(wrong, "problem");
    }
    if (found.isCompared()) {
      return "sound: a server can start on it, and nothing is missing";
    }
    return isQuick
        ? "sound: a server can start on it; no row was compared with the log"
        : "sound as far as checked: a server can start on it, but not all rows were compared with"
            + " the log";
  }
}
