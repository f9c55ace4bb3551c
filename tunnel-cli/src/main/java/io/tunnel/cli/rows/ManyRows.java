package io.tunnel.cli.rows;

import com.google.gson.JsonObject;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriter;
import io.tunnel.stress.LoadPlan;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.OutcomeText;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WriteTally;
import io.tunnel.stress.WriterSink;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.InDoubtFile;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * Writes the rows of a file in their order, shows how far it is, and says what became of them; of a
 * run that stops early, where it stopped and how to continue.
 */
final class ManyRows {

  private static final long LOOK_MS = 100;
  private static final long PATIENCE_MS = 45_000;

  /** How long after a signal the rows that were read are still sent. */
  private static final long SENDS_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  /** How long the rows that are left are counted at most. */
  private static final long COUNT_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private final PrintWriter out;
  private final PrintWriter err;
  private final String done;
  private final boolean isJson;
  private final Files files;
  private final SystemClock clock = new SystemClock();

  /** Rows in doubt that are not in the file yet. */
  private final Queue<RowChange> inDoubt = new ConcurrentLinkedQueue<>();

  /** By row, the lines of rows without an outcome and of those that were not sent. */
  private final Map<RowChange, Long> lines = Collections.synchronizedMap(new IdentityHashMap<>());

  /** The line of the row before the one that is being read. */
  private volatile long lineBeforeRead;

  /** When the command was seen to be asked to stop. */
  private OptionalLong stoppedNanos = OptionalLong.empty();

  /** Rows that were not sent, by their lines. */
  private final NavigableMap<Long, RowChange> notSent = new ConcurrentSkipListMap<>();

  /**
   * What is read and written.
   *
   * @param inDoubt takes the rows in doubt
   * @param notSent takes the rows that were read and not sent
   */
  record Files(RowFile from, Optional<Path> inDoubt, Optional<Path> notSent) {}

  /**
   * Where a run stopped early.
   *
   * @param line the last line whose row was read
   * @param afterLine continue after this line
   * @param left rows that were not sent, and lines that were not read; empty of a pipe, whose rest
   *     is not counted
   * @param isExact whether all lines that were not read are counted
   */
  private record Stop(long line, long afterLine, OptionalLong left, boolean isExact) {}

  ManyRows(CommandLine command, String done, boolean isJson, Files files) {
    this.out = command.getOut();
    this.err = command.getErr();
    this.done = done;
    this.isJson = isJson;
    this.files = files;
  }

  /** Returns what to exit with. */
  int write(TableWriter writer, RowSource source, FileRows file)
      throws IOException, InterruptedException {
    LoadPlan plan =
        new LoadPlan(
            List.of(numbered(source, file)),
            OptionalLong.empty(),
            Optional.empty(),
            OptionalLong.empty());
    LoadRun run =
        new LoadRun(new WriterSink(writer), plan, clock, (row, result, now) -> note(row, result));
    Screen screen = Screen.standardError(err, System.getenv());
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        InDoubtFile doubts =
            files.inDoubt().isPresent() ? new InDoubtFile(files.inDoubt().get()) : null;
        InDoubtFile unsent =
            files.notSent().isPresent() ? new InDoubtFile(files.notSent().get()) : null) {
      try (ProgressBar bar =
          new ProgressBar("reading", "bytes", files.from().bytes(), screen, clock::nanos)) {
        run.start(task -> new Thread(task, "rows-sender"));
        while (!run.awaitSenders(LOOK_MS)) {
          bar.advanceTo(file.bytesRead());
          writeDoubts(doubts);
          if (signal.isAsked()) {
            run.stop();
            giveUpInTime(writer);
          }
        }
        bar.advanceTo(file.bytesRead());
      }
      writeDoubts(doubts);
      if (unsent != null) {
        unsent.write(List.copyOf(notSent.values()));
      }
      report(run, stop(run, signal, file));
      if (signal.isAsked()) {
        return ExitCode.INTERRUPTED;
      }
      run.requireNoFailure();
      return exitCode(run);
    }
  }

  private void giveUpInTime(TableWriter writer) {
    long nowNanos = clock.nanos();
    stoppedNanos = stoppedNanos.isPresent() ? stoppedNanos : OptionalLong.of(nowNanos);
    if (nowNanos - stoppedNanos.getAsLong() > SENDS_NANOS_MAX) {
      writer.giveUp();
    }
  }

  private RowSource numbered(RowSource source, FileRows file) {
    return new RowSource() {
      private RowChange last;

      @Override
      public RowChange next() {
        lineBeforeRead = file.line();
        last = source.next();
        if (last != null) {
          lines.put(last, file.line());
        }
        return last;
      }

      @Override
      public void refused(IllegalArgumentException why) {
        lines.remove(last);
        source.refused(why);
      }
    };
  }

  private void note(RowChange row, RowResult result) {
    Long line = lines.remove(row);
    switch (result.outcome()) {
      case APPLIED, REJECTED -> {
        // Nothing is left to do for the row.
      }
      case IN_DOUBT -> {
        if (files.inDoubt().isPresent()) {
          inDoubt.add(row);
        }
      }
      case NOT_SENT -> notSent.put(line, row);
    }
  }

  private void writeDoubts(InDoubtFile doubts) throws IOException {
    for (RowChange row = inDoubt.poll(); row != null; row = inDoubt.poll()) {
      doubts.write(List.of(row));
    }
  }

  /** Empty when every row of the file was sent. */
  private Optional<Stop> stop(LoadRun run, StopSignal signal, FileRows file) throws IOException {
    boolean isEarly = run.serverIsAway() || run.hasFailed() || signal.isAsked();
    if (!isEarly) {
      return Optional.empty();
    }
    long line = run.hasLeftReader() ? lineBeforeRead : file.line();
    // A failure is of the row that was read last.
    long handled = run.hasFailed() ? line - 1 : line;
    boolean areKept = notSent.isEmpty() || files.notSent().isPresent();
    long after = areKept ? handled : notSent.firstKey() - 1;
    if (files.from().bytes().isEmpty() || run.hasLeftReader()) {
      return Optional.of(new Stop(handled, after, OptionalLong.empty(), false));
    }
    long beganNanos = clock.nanos();
    boolean[] isCut = {false};
    long left =
        file.left(
            () -> {
              isCut[0] = clock.nanos() - beganNanos > COUNT_NANOS_MAX;
              return isCut[0];
            });
    long all = left + notSent.size() + (run.hasFailed() ? 1 : 0);
    return all == 0
        ? Optional.empty()
        : Optional.of(new Stop(handled, after, OptionalLong.of(all), !isCut[0]));
  }

  private static int exitCode(LoadRun run) {
    if (run.serverIsAway()) {
      return ExitCode.UNAVAILABLE;
    }
    return run.tally().counts().allApplied() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void report(LoadRun run, Optional<Stop> stop) {
    WriteTally.Counts counts = run.tally().counts();
    if (isJson) {
      JsonObject json = new JsonObject();
      json.addProperty("applied", counts.applied());
      json.addProperty("rejected", counts.rejected());
      json.addProperty("notSent", counts.notSent());
      json.addProperty("inDoubt", counts.inDoubt());
      stop.ifPresent(
          at -> {
            json.addProperty("stoppedAfterLine", at.line());
            json.addProperty("continueAfterLine", at.afterLine());
            at.left().ifPresent(left -> json.addProperty("left", left));
            json.addProperty("leftIsExact", at.isExact());
          });
      out.println(json);
    } else {
      out.println(Human.counted(counts.applied(), "row") + " " + done);
    }
    for (RowResult.Outcome outcome : RowResult.Outcome.values()) {
      long rows = count(counts, outcome);
      if (rows > 0) {
        err.println(OutcomeText.of(outcome, rows) + "; first:");
        run.tally().examples(outcome).forEach(example -> err.println("  " + example));
      }
    }
    if (counts.inDoubt() > 0) {
      err.println(
          files
              .inDoubt()
              .map(path -> "all rows in doubt are in " + path)
              .orElse("--in-doubt-file FILE writes all rows in doubt"));
    }
    stop.ifPresent(at -> explain(at).forEach(err::println));
    err.flush();
  }

  private List<String> explain(Stop stop) {
    List<String> lines = new ArrayList<>();
    String left =
        stop.left().isEmpty()
            ? "the rest was not read"
            : (stop.isExact() ? "" : "more than ")
                + Human.counted(stop.left().getAsLong(), "row")
                + (stop.left().getAsLong() == 1 ? " is left" : " are left");
    lines.add(
        "stopped after line "
            + Human.count(stop.line())
            + " of "
            + files.from().name()
            + "; "
            + left);
    if (!notSent.isEmpty()) {
      lines.add(
          files
              .notSent()
              .map(path -> "first write the rows that were not sent: --from " + path)
              .orElse(
                  "the first row that was not sent is in line "
                      + Human.count(notSent.firstKey())
                      + "; rows after it that were "
                      + done
                      + " are "
                      + done
                      + " again (--not-sent-file FILE keeps them apart)"));
    }
    lines.add("continue with --after-line " + stop.afterLine());
    return lines;
  }

  private static long count(WriteTally.Counts counts, RowResult.Outcome outcome) {
    return switch (outcome) {
      case APPLIED -> 0;
      case REJECTED -> counts.rejected();
      case NOT_SENT -> counts.notSent();
      case IN_DOUBT -> counts.inDoubt();
    };
  }
}
