package io.tunnel.cli.rows;

import com.google.gson.JsonObject;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriter;
import io.tunnel.stress.LoadPlan;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WriteTally;
import io.tunnel.stress.WriterSink;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import picocli.CommandLine;

/** Writes the rows of a file in their order, shows how far it is, and says what became of them. */
final class ManyRows {

  private static final long LOOK_MS = 100;
  private static final long PATIENCE_MS = 45_000;

  private final PrintWriter out;
  private final PrintWriter err;
  private final String done;
  private final boolean isJson;
  private final Optional<Path> inDoubtFile;

  /** Rows in doubt that are not in the file yet. */
  private final Queue<RowChange> inDoubt = new ConcurrentLinkedQueue<>();

  ManyRows(CommandLine command, String done, boolean isJson, Optional<Path> inDoubtFile) {
    this.out = command.getOut();
    this.err = command.getErr();
    this.done = done;
    this.isJson = isJson;
    this.inDoubtFile = inDoubtFile;
  }

  /** Returns what to exit with. */
  int write(TableWriter writer, RowSource source, FileRows file, RowFile name)
      throws IOException, InterruptedException {
    SystemClock clock = new SystemClock();
    LoadPlan plan =
        new LoadPlan(List.of(source), OptionalLong.empty(), Optional.empty(), OptionalLong.empty());
    LoadRun run =
        new LoadRun(new WriterSink(writer), plan, clock, (row, result, now) -> note(row, result));
    Screen screen = Screen.standardError(err, System.getenv());
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        BufferedWriter doubts =
            inDoubtFile.isPresent() ? Files.newBufferedWriter(inDoubtFile.get()) : null) {
      try (ProgressBar bar =
          new ProgressBar("reading", "bytes", name.bytes(), screen, clock::nanos)) {
        run.start(task -> new Thread(task, "rows-sender"));
        while (!run.awaitSenders(LOOK_MS)) {
          bar.advanceTo(file.bytesRead());
          writeDoubts(doubts);
          if (signal.isAsked()) {
            run.stop();
          }
        }
        bar.advanceTo(file.bytesRead());
      }
      writeDoubts(doubts);
      report(run);
      if (signal.isAsked()) {
        return ExitCode.INTERRUPTED;
      }
      run.requireNoFailure();
      return exitCode(run);
    }
  }

  private void note(RowChange row, RowResult result) {
    if (inDoubtFile.isPresent() && result.outcome() == RowResult.Outcome.IN_DOUBT) {
      inDoubt.add(row);
    }
  }

  private void writeDoubts(BufferedWriter doubts) throws IOException {
    for (RowChange row = inDoubt.poll(); row != null; row = inDoubt.poll()) {
      doubts.write(TypedJson.of(row).toString());
      doubts.newLine();
    }
  }

  private static int exitCode(LoadRun run) {
    if (run.serverIsAway()) {
      return ExitCode.UNAVAILABLE;
    }
    return run.tally().counts().allApplied() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void report(LoadRun run) {
    WriteTally.Counts counts = run.tally().counts();
    if (isJson) {
      JsonObject json = new JsonObject();
      json.addProperty("applied", counts.applied());
      json.addProperty("rejected", counts.rejected());
      json.addProperty("notSent", counts.notSent());
      json.addProperty("inDoubt", counts.inDoubt());
      out.println(json);
    } else {
      out.println(Human.count(counts.applied()) + " rows " + done);
    }
    for (RowResult.Outcome outcome : RowResult.Outcome.values()) {
      long rows = count(counts, outcome);
      if (rows > 0) {
        err.println(Human.count(rows) + " rows " + meaning(outcome) + "; first:");
        run.tally().examples(outcome).forEach(example -> err.println("  " + example));
      }
    }
    if (counts.inDoubt() > 0) {
      err.println(
          inDoubtFile
              .map(path -> "all rows in doubt are in " + path)
              .orElse("--in-doubt-file FILE writes all rows in doubt"));
    }
    err.flush();
  }

  private static long count(WriteTally.Counts counts, RowResult.Outcome outcome) {
    return switch (outcome) {
      case APPLIED -> 0;
      case REJECTED -> counts.rejected();
      case NOT_SENT -> counts.notSent();
      case IN_DOUBT -> counts.inDoubt();
    };
  }

  private static String meaning(RowResult.Outcome outcome) {
    return switch (outcome) {
      case APPLIED -> "were applied";
      case REJECTED -> "were rejected";
      case NOT_SENT -> "were never sent, and so not applied";
      case IN_DOUBT -> "are in doubt: they may or may not be applied";
    };
  }
}
