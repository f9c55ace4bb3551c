package io.tunnel.bench.cluster;

/** One thing to measure. */
interface Figure {

  /** What it is called on the command line. */
  String name();

  /** Measures and prints lines of a Markdown table. */
  void measure(Ground ground) throws Exception;
}
