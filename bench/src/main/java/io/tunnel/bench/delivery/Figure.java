package io.tunnel.bench.delivery;

/** One thing to measure. */
interface Figure {

  /** What it is called on the command line. */
  String name();

  /** Measures and prints. */
  void measure(Bed bed) throws Exception;
}
