package io.tunnel.bench.figures;

/**
 * One thing to measure.
 *
 * @param <G> what it is measured on
 */
public interface Figure<G> {

  /** What it is called on the command line. */
  String name();

  /** Measures, and prints lines of a Markdown table. */
  void measure(G ground) throws Exception;
}
