package io.tunnel.server.console;

import java.util.List;
import java.util.stream.DoubleStream;

/** A figure of a server that charts show over time. */
enum Figure {
  WRITTEN_ROWS("writtenRows", Of.SUM),
  WRITTEN_BYTES("writtenBytes", Of.SUM),
  DELIVERED_ROWS("deliveredRows", Of.SUM),
  DELIVERED_BYTES("deliveredBytes", Of.SUM),
  COMMIT_TO_DELIVERY_P50_MS("commitToDeliveryP50Ms", Of.MAX),
  COMMIT_TO_DELIVERY_P99_MS("commitToDeliveryP99Ms", Of.MAX),
  LAG_SECONDS_MAX("lagSecondsMax", Of.MAX),
  LAG_CHANGES_MAX("lagChangesMax", Of.MAX),
  HISTORY_LEFT_SECONDS("historyLeftSeconds", Of.MIN),
  SESSIONS("sessions", Of.SUM),
  CONNECTIONS("connections", Of.SUM),
  DISK_FREE_BYTES("diskFreeBytes", Of.MIN),
  DISK_USED_BYTES("diskUsedBytes", Of.SUM),
  HEAP_USED_BYTES("heapUsedBytes", Of.SUM),
  HEAP_MAX_BYTES("heapMaxBytes", Of.SUM),
  RESIDENT_BYTES("residentBytes", Of.SUM),
  CPU_SHARE("cpuShare", Of.MAX);

  private final String member;
  private final Of ofNodes;

  /** How the figure of several nodes follows from their figures. */
  private enum Of {
    SUM,
    MAX,
    MIN
  }

  Figure(String member, Of ofNodes) {
    this.member = member;
    this.ofNodes = ofNodes;
  }

  /** The figure of several nodes: the sum, or of the worst one. NaN when no node knows it. */
  double ofNodes(List<Double> values) {
    DoubleStream known = values.stream().mapToDouble(Double::doubleValue).filter(Double::isFinite);
    return switch (ofNodes) {
      case SUM -> known.reduce(Double::sum).orElse(Double.NaN);
      case MAX -> known.max().orElse(Double.NaN);
      case MIN -> known.min().orElse(Double.NaN);
    };
  }

  /** Its name in JSON. */
  String member() {
    return member;
  }
}
