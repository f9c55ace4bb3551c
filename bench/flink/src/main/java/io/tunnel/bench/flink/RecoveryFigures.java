package io.tunnel.bench.flink;

import java.io.PrintWriter;

final class RecoveryFigures {
  RecoveryFigures(
      FlinkOptions options,
      Services services,
      Child child,
      Findings findings,
      PrintWriter out) {}
  void run() {}
}
