package io.tunnel.flink.sink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** The metrics of a writer, to be looked at. */
final class FakeMetrics extends UnregisteredMetricsGroup implements SinkWriterMetricGroup {

  private final Map<String, Counter> counters = new ConcurrentHashMap<>();
  private final Map<String, Gauge<?>> gauges = new ConcurrentHashMap<>();

  long count(String name) {
    return counters.getOrDefault(name, new ThreadSafeSimpleCounter()).getCount();
  }

  Object gauged(String name) {
    return gauges.get(name).getValue();
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    counters.put(name, counter);
    return counter;
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    gauges.put(name, gauge);
    return gauge;
  }

  private Counter standard(String name) {
    return counters.computeIfAbsent(name, missing -> new ThreadSafeSimpleCounter());
  }

  @Override
  public Counter getNumRecordsOutErrorsCounter() {
    return standard("numRecordsOutErrors");
  }

  @Override
  public Counter getNumRecordsSendErrorsCounter() {
    return standard("numRecordsSendErrors");
  }

  @Override
  public Counter getNumRecordsSendCounter() {
    return standard("numRecordsSend");
  }

  @Override
  public Counter getNumBytesSendCounter() {
    return standard("numBytesSend");
  }

  @Override
  public void setCurrentSendTimeGauge(Gauge<Long> gauge) {
    var unused = gauge("currentSendTime", gauge);
  }

  @Override
  public OperatorIOMetricGroup getIOMetricGroup() {
    return UnregisteredMetricsGroup.createOperatorIOMetricGroup();
  }
}
