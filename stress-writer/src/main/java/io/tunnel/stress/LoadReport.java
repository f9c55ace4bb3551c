package io.tunnel.stress;

import io.tunnel.model.RowChange;
import io.tunnel.stress.file.InDoubtFile;
import io.tunnel.terminal.ProgressBar;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Reports on a running load until it has ended: a line a second, then a summary. */
final class LoadReport implements Closeable {

  private static final long LINE_NANOS = 1_000_000_000L;
  private static final long LOOK_MS = 100;

  private final LoadRun run;
  private final LoadClock clock;
  private final Output output;
  private final ReportCore core;
  private final Histogram allLatencies = new Histogram(3);
  private final List<String> inDoubtExamples = new ArrayList<>();
  private final Optional<InDoubtFile> inDoubtFile;
  private long nextLineNanos;

  /**
   * Where the report goes.
   *
   * @param lines takes the lines
   * @param bar shows progress
   * @param progress how far the bar is
   * @param skippedLines lines of the user's file that were no rows
   * @param inDoubtFile takes the rows in doubt, if asked for
   */
  record Output(
      Consumer<StressLine> lines,
      ProgressBar bar,
      LongSupplier progress,
      LongSupplier skippedLines,
      Optional<Path> inDoubtFile) {}

  LoadReport(LoadRun run, LoadClock clock, Output output) throws IOException {
    this.run = run;
    this.clock = clock;
    this.output = output;
    this.core = new ReportCore(clock.nanos());
    this.nextLineNanos = clock.nanos() + LINE_NANOS;
    this.inDoubtFile =
        output.inDoubtFile().isPresent()
            ? Optional.of(new InDoubtFile(output.inDoubtFile().get()))
            : Optional.empty();
  }

  /** Returns when every row has its outcome and the summary is printed. */
  WriteTally.Counts untilEnd(BooleanSupplier stop) throws IOException, InterruptedException {
    try {
      while (!run.awaitSenders(LOOK_MS)) {
        if (stop.getAsBoolean()) {
          run.stop();
        }
        look();
      }
      run.requireNoFailure();
    } finally {
      look();
      output.bar().close();
      summary();
    }
    return run.tally().counts();
  }

  private void look() throws IOException {
    output.bar().advanceTo(output.progress().getAsLong());
    noteInDoubt();
    long now = clock.nanos();
    if (now - nextLineNanos >= 0) {
      nextLineNanos = now + LINE_NANOS;
      WriteTally.Counts counts = run.tally().counts();
      Histogram latencies = run.tally().intervalLatencies();
      allLatencies.add(latencies);
      print("interval", core.sinceLast(now, counts), counts, latencies);
    }
  }

  private void summary() {
    WriteTally.Counts counts = run.tally().counts();
    allLatencies.add(run.tally().intervalLatencies());
    print("summary", core.sinceStart(clock.nanos(), counts), counts, allLatencies);
  }

  private void print(
      String kind, ReportCore.Rates rates, WriteTally.Counts counts, Histogram latencies) {
    StressLine line =
        StressLine.of(
            kind, clock.epochMs(), rates, counts, latencies, output.skippedLines().getAsLong());
    output.bar().above(() -> output.lines().accept(line));
  }

  private void noteInDoubt() throws IOException {
    List<RowChange> rows = run.tally().drainInDoubt();
    for (RowChange row : rows) {
      if (inDoubtExamples.size() == WriteTally.EXAMPLES_MAX) {
        break;
      }
      inDoubtExamples.add(InDoubtFile.toJson(row));
    }
    if (inDoubtFile.isPresent()) {
      inDoubtFile.get().write(rows);
    }
  }

  /** The first rows in doubt, as JSON. */
  List<String> inDoubtExamples() {
    return List.copyOf(inDoubtExamples);
  }

  @Override
  public void close() {
    try {
      if (inDoubtFile.isPresent()) {
        inDoubtFile.get().close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
