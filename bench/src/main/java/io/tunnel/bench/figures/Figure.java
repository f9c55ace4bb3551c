package io.tunnel.bench.figures;

/**
 * One thing to measure.
 *
 * @param <S> the servers that it is measured on
 */
public interface Figure<S> {

  /** What it is called on the command line. */
  String name();

  /** Measures, and prints lines of a Markdown table. */
  void measure(FigureSetup<S> setup) throws Exception;
}
