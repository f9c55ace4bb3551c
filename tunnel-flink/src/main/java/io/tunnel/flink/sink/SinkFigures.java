package io.tunnel.flink.sink;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

/** Flink's standard metrics of a sink, and ours beside them. */
final class SinkFigures {

  private final Counter sent;
  private final Counter errors;
  private final Counter rejected;
  private final Counter unmet;
  private final Counter repeated;

  SinkFigures(SinkWriterMetricGroup metrics) {
    this.sent = metrics.getNumRecordsSendCounter();
    this.errors = metrics.getNumRecordsSendErrorsCounter();
    this.rejected = metrics.counter("rowsRejected", new ThreadSafeSimpleCounter());
    this.unmet = metrics.counter("rowsUnmet", new ThreadSafeSimpleCounter());
    this.repeated = metrics.counter("rowsRepeated", new ThreadSafeSimpleCounter());
  }

  /** Counts an applied row. Only on the SDK's thread, because the counter is not thread-safe. */
  void applied() {
    sent.inc();
  }

  /** Counts a row that was refused for good. */
  synchronized void rejected() {
    rejected.inc();
    errors.inc();
  }

  /** Counts a row whose condition did not hold. */
  void unmet() {
    unmet.inc();
  }

  /** Counts repeated rows. */
  void repeated(long rows) {
    repeated.inc(rows);
  }
}
