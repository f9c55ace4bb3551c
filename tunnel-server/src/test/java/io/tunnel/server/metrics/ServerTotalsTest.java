package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Gauge;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the console reads of the meters, and what the JVM says of itself. */
final class ServerTotalsTest {

  private static final long NOW_MICROS = 50_000_000;

  private final ServerMeters meters = new ServerMeters(() -> NOW_MICROS);

  @AfterEach
  void close() {
    meters.close();
  }

  private double longestMs() {
    return meters.totals().ages().percentileMs(DeliveryAges.Counts.none(), 1).orElse(Double.NaN);
  }

  @Test
  void totals_are_what_was_written_and_delivered() {
    assertThat(meters.totals())
        .extracting("writtenRows", "writtenBytes", "deliveredRows", "deliveredBytes")
        .containsExactly(0.0, 0.0, 0L, 0L);
    meters.committed(0, 3, 700, 1);
    meters.committed(1, 1, 10, 1);
    meters.delivered(50, 2, NOW_MICROS);
    meters.delivered(5, 1, NOW_MICROS);
    assertThat(meters.totals())
        .extracting("writtenRows", "writtenBytes", "deliveredRows", "deliveredBytes")
        .containsExactly(4.0, 710.0, 3L, 55L);
  }

  @Test
  void a_delivery_is_as_old_as_its_oldest_change() {
    meters.delivered(1, 0, 0);
    assertThat(longestMs()).as("a delivery without a change has no age").isNaN();
    meters.delivered(1, 1, NOW_MICROS - 2_000_000);
    assertThat(longestMs()).isCloseTo(2_000, within(400.0));
  }

  private void gauge(String shard, double value) {
    var unused =
        Gauge.builder("tunnel.log.bytes", () -> value)
            .tag("shard", shard)
            .register(meters.registry());
  }

  @Test
  void gauges_of_one_name_are_added_up_without_those_that_are_not_known() {
    gauge("0", 5);
    gauge("1", 2);
    gauge("2", Double.NaN);
    assertThat(meters.sumOfGauges("tunnel.log.bytes")).isEqualTo(7);
    assertThat(meters.sumOfGauges("tunnel.log.segments")).isZero();
  }

  @Test
  void the_page_has_memory_processor_and_collections_of_the_jvm() {
    Set<String> names =
        Scraped.of(meters)
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.replaceAll("[{ ].*", ""))
            .collect(Collectors.toSet());
    assertThat(names)
        .contains("jvm_memory_used_bytes", "process_cpu_usage", "jvm_gc_max_data_size_bytes");
  }

  @Test
  void closed_meters_count_no_more() {
    meters.close();
    assertThat(meters.registry().isClosed()).isTrue();
  }
}
