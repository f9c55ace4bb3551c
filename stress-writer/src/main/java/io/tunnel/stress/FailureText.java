package io.tunnel.stress;

import io.tunnel.sdk.RowResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is said at the end about rows that were not applied, and about those in doubt. */
final class FailureText {

  private FailureText() {}

  static List<String> of(LoadRun run, LoadReport report, Optional<Path> inDoubtFile) {
    WriteTally.Counts counts = run.tally().counts();
    List<String> lines = new ArrayList<>();
    if (run.serverIsAway()) {
      lines.add("ended early: the server could not be reached");
    }
    if (counts.rejected() > 0) {
      add(RowResult.Outcome.REJECTED, counts.rejected(), lines);
      addExamples(run.tally(), RowResult.Outcome.REJECTED, lines);
    }
    if (counts.notSent() > 0) {
      add(RowResult.Outcome.NOT_SENT, counts.notSent(), lines);
      addExamples(run.tally(), RowResult.Outcome.NOT_SENT, lines);
    }
    if (counts.inDoubt() > 0) {
      add(RowResult.Outcome.IN_DOUBT, counts.inDoubt(), lines);
      report.inDoubtExamples().forEach(example -> lines.add("  " + example));
      lines.add(
          inDoubtFile
              .map(path -> "all of them are in " + path)
              .orElse("--in-doubt-file FILE writes all of them"));
    }
    return lines;
  }

  private static void add(RowResult.Outcome outcome, long rows, List<String> lines) {
    lines.add(OutcomeText.of(outcome, rows) + "; first:");
  }

  private static void addExamples(WriteTally tally, RowResult.Outcome outcome, List<String> lines) {
    tally.examples(outcome).forEach(example -> lines.add("  " + example));
  }
}
