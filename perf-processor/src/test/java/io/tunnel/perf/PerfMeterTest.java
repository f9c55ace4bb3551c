package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PerfMeterTest {

  @Test
  void rows_and_bytes_add_up_per_channel_and_in_all() {
    PerfMeter meter = new PerfMeter();
    ProcessRecordsInput ten = Inputs.of("1_a", 10, 0, 0);
    meter.count(ten, 0);
    meter.count(Inputs.of("2_b", 5, 0, 0), 0);
    meter.count(ten, 0);
    assertThat(meter.rows()).isEqualTo(25);
    assertThat(meter.totals().rows()).isEqualTo(25);
    assertThat(meter.totals().rowsByChannel()).isEqualTo(Map.of("1_a", 20L, "2_b", 5L));
    assertThat(ten.byteCount()).isBetween(200L, 300L);
    assertThat(meter.totals().bytes()).isEqualTo(ten.byteCount() * 5 / 2);
  }

  @Test
  void latency_runs_from_the_commit_and_every_row_counts_once() {
    PerfMeter meter = new PerfMeter();
    meter.count(Inputs.of("c", 7, 1_000_000, 1_000_000), 1_005_000);
    Histogram one = meter.intervalLatencies();
    assertThat(one.getTotalCount()).isEqualTo(7);
    assertThat(one.getMinNonZeroValue()).isBetween(4_990L, 5_010L);
    assertThat(one.getMaxValue()).isBetween(4_990L, 5_010L);

    meter.count(Inputs.of("c", 1_001, 1_000_000, 1_100_000), 1_100_000);
    Histogram spread = meter.intervalLatencies();
    assertThat(spread.getTotalCount()).isEqualTo(1_001);
    assertThat(spread.getMaxValue()).isBetween(99_000L, 101_000L);
    assertThat(spread.getValueAtPercentile(50)).isBetween(45_000L, 60_000L);
    assertThat(spread.getMinValue()).isZero();
    assertThat(meter.aheadOfClock()).isZero();
  }

  @Test
  void rows_from_the_future_count_as_no_latency_and_are_counted() {
    PerfMeter meter = new PerfMeter();
    meter.count(Inputs.of("c", 3, 2_000, 2_000), 1_000);
    assertThat(meter.aheadOfClock()).isEqualTo(3);
    assertThat(meter.intervalLatencies().getMaxValue()).isZero();
  }

  @Test
  void nothing_is_lost_when_channels_count_at_once_and_somebody_reads_meanwhile()
      throws InterruptedException {
    PerfMeter meter = new PerfMeter();
    CountDownLatch go = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int channel = 0; channel < 4; channel++) {
      ProcessRecordsInput input = Inputs.of("channel" + channel, 3, 0, 0);
      threads.add(
          new Thread(
              () -> {
                try {
                  go.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                for (int i = 0; i < 20_000; i++) {
                  meter.count(input, 1);
                }
              }));
    }
    threads.forEach(Thread::start);
    go.countDown();
    RateCore core = new RateCore(0, new RateCore.Usage(0));
    long counted = 0;
    long now = 0;
    for (int i = 0; i < 200; i++) {
      counted += core.sinceLast(++now, meter.totals(), new RateCore.Usage(0)).rows();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    counted += core.sinceLast(++now, meter.totals(), new RateCore.Usage(0)).rows();
    assertThat(counted).isEqualTo(4 * 20_000 * 3);
    assertThat(meter.intervalLatencies().getTotalCount()).isEqualTo(counted);
  }

  @Test
  void a_processor_touches_and_works_when_told_so() {
    PerfMeter meter = new PerfMeter();
    AtomicLong nanos = new AtomicLong();
    RecordWork none = new RecordWork(new RecordWork.Cost(false, 0), () -> nanos.addAndGet(1_000));
    new PerfProcessor(meter, none, () -> 0).process(Inputs.of("c", 10, 0, 0));
    assertThat(none.touched()).isZero();
    assertThat(nanos.get()).isZero();

    RecordWork busy = new RecordWork(new RecordWork.Cost(true, 50), () -> nanos.addAndGet(1_000));
    new PerfProcessor(meter, busy, () -> 0).process(Inputs.of("c", 10, 0, 0));
    assertThat(busy.touched()).isNotZero();
    assertThat(nanos.get()).isBetween(500_000L, 503_000L);
    assertThat(meter.rows()).isEqualTo(20);
  }
}
