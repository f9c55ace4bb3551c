package io.tunnel.bench.figures;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.Watchdog;
import io.tunnel.cli.log.Logging;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which figures a program measures, where, and for how long at most. A mixin. */
public final class FigureOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "FIGURE",
      description = "Some of the figures (default: all).")
  private List<String> only = List.of();

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--minutes-max", description = "Then everything is stopped (default: 20).")
  private int minutesMax = 20;

  /**
   * How one figure is measured.
   *
   * @param <S> the servers that figures are measured on
   */
  public interface Measure<S> {

    /** Starts fresh servers for the figure, without leftovers of earlier figures. */
    void on(Figure<S> figure, Run run) throws Exception;
  }

  /**
   * What all figures of a run share.
   *
   * @param dir where temporary directories are made
   */
  public record Run(Path dir, LoadClock clock, PrintWriter out) {

    /** The processes of one figure. */
    public Children children() throws Exception {
      return new Children(dir);
    }
  }

  /** Runs a program with figures; a signal, and the longest time, end its children too. */
  public static void main(Object program, String[] args) {
    CommandLine line = new CommandLine(program);
    line.setExecutionStrategy(new Logging(System.getenv()));
    System.exit(line.execute(args));
  }

  /** Measures what was chosen of {@code figures}. */
  public <S> int measure(List<? extends Figure<S>> figures, Measure<S> measure) throws Exception {
    List<String> names = figures.stream().map(Figure::name).toList();
    for (String name : only) {
      if (!names.contains(name)) {
        throw new ParameterException(
            spec.commandLine(), "no figure '" + name + "'; there are " + names);
      }
    }
    Run run =
        new Run(dir, new SystemClock(), new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    Watchdog.endIn(minutesMax, run.clock());
    for (Figure<S> figure : figures) {
      if (only.isEmpty() || only.contains(figure.name())) {
        run.out().println("== " + figure.name());
        measure.on(figure, run);
      }
    }
    return 0;
  }
}
