package io.tunnel.bench.neighbours;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureOptions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "neighbours",
    mixinStandardHelpOptions = true,
    description = "Measures what a principal loses whose neighbour takes a lot.")
public final class NeighboursMain implements Callable<Integer> {

  private static final List<NeighbourFigure> FIGURES =
      Arrays.stream(Habit.values()).map(NeighbourFigure::new).toList();

  @Mixin private FigureOptions options;

  private NeighboursMain() {}

  /** Measures. */
  public static void main(String[] args) {
    FigureOptions.main(new NeighboursMain(), args);
  }

  @Override
  public Integer call() throws Exception {
    return options.measure(FIGURES, NeighboursMain::measure);
  }

  private static void measure(Figure<Ground> figure, FigureOptions.Run run) throws Exception {
    try (Children children = run.children()) {
      figure.measure(Ground.make(children, run.clock(), run.out()));
    }
  }
}
