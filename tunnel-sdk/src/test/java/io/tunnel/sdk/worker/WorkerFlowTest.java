package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The flow of changes to processors: order, parallelism, credit, limits. */
class WorkerFlowTest extends WorkerFixture {

  @Test
  void channels_are_processed_in_parallel_and_each_in_order() {
    FakeTunnel tunnel = new FakeTunnel(server, 4);
    CyclicBarrier allAtOnce = new CyclicBarrier(4);
    AtomicInteger first = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (first.getAndIncrement() < 4) {
                meet(allAtOnce); // Passes only when four channels are in a callback together.
              }
            });
    for (int channel = 0; channel < 4; channel++) {
      tunnel.append(channel, 10);
    }
    start(config(processor));
    for (int round = 0; round < 50; round++) {
      for (int channel = 0; channel < 4; channel++) {
        tunnel.append(channel, 20);
      }
    }
    for (int channel = 0; channel < 4; channel++) {
      awaitPositions(processor, channel, 1_010);
      assertThat(processor.positions(channel)).isEqualTo(upTo(1_010));
    }
    assertThat(processor.overlaps).hasValue(0);
  }

  @Test
  void no_more_channels_are_processed_at_once_than_allowed() {
    FakeTunnel tunnel = new FakeTunnel(server, 6);
    AtomicInteger most = new AtomicInteger();
    AtomicReference<RecordingProcessor> self = new AtomicReference<>();
    RecordingProcessor processor =
        new RecordingProcessor(input -> most.accumulateAndGet(self.get().active.get(), Math::max));
    self.set(processor);
    TunnelWorkerConfig config = config(processor);
    config.setMaxChannelParallel(2);
    start(config);
    for (int round = 0; round < 20; round++) {
      for (int channel = 0; channel < 6; channel++) {
        tunnel.append(channel, 5);
      }
    }
    for (int channel = 0; channel < 6; channel++) {
      awaitPositions(processor, channel, 100);
    }
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void a_blocked_processor_is_read_ahead_of_up_to_the_credit_and_no_further() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              gate.hold();
            });
    TunnelWorkerConfig config = config(processor);
    int credit = 20_000;
    config.setChannelCreditBytes(credit);
    TunnelWorker worker = start(config);
    for (int i = 0; i < 100; i++) {
      tunnel.append(0, 50);
    }
    gate.awaitHolding();
    Waits.until("the credit is used up", () -> tunnel.credit(0) <= 0);
    int oneDelivery = 2_000;
    assertThat(tunnel.deliveries(0)).as("reads ahead").isGreaterThan(5);
    assertThat(tunnel.unreturned(0)).isBetween((long) credit, (long) credit + oneDelivery);
    Waits.until(
        "what was delivered waits in the worker",
        () -> worker.status().channels().get(0).bufferedBytes() == tunnel.unreturned(0));
    gate.open();
    awaitPositions(processor, 0, 5_000);
    assertThat(processor.positions(0)).isEqualTo(upTo(5_000));
    Waits.until("all credit came back", () -> tunnel.unreturned(0) == 0);
    assertThat(tunnel.credit(0)).isEqualTo(credit);
    assertThat(tunnel.unreturnedMax(0)).isLessThan(credit + oneDelivery);
  }

  @Test
  void what_waits_is_given_together_within_the_limits() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              gate.hold();
            });
    TunnelWorkerConfig config = config(processor);
    config.setProcessRowsMax(25);
    TunnelWorker worker = start(config);
    tunnel.append(0, 1);
    gate.awaitHolding();
    assertThat(processor.inputs.get(0).getRecords()).hasSize(1); // A small change does not wait.
    for (int i = 0; i < 6; i++) {
      tunnel.append(0, 10);
    }
    Waits.until(
        "all is delivered and buffered",
        () ->
            tunnel.deliveries(0) == 7
                && worker.status().channels().get(0).bufferedBytes() == tunnel.unreturned(0));
    gate.open();
    awaitPositions(processor, 0, 61);
    assertThat(processor.inputs)
        .extracting(input -> input.getRecords().size())
        .containsExactly(1, 20, 20, 20);
  }

  /** The server chooses the size of a delivery; the worker limits the size of an input. */
  @Test
  void a_delivery_over_the_limit_of_rows_is_given_in_parts() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setProcessRowsMax(25);
    tunnel.append(0, 61);
    var unused = start(config);
    awaitPositions(processor, 0, 61);
    assertThat(processor.positions(0)).isEqualTo(upTo(61));
    assertThat(processor.inputs)
        .extracting(input -> input.getRecords().size())
        .containsExactly(25, 25, 11);
    assertThat(processor.inputs)
        .extracting(ProcessRecordsInput::getNextToken)
        .containsExactly("25", "50", "61");
    Waits.until("all credit came back", () -> tunnel.unreturned(0) == 0);
  }

  @Test
  void a_delivery_over_the_limit_of_bytes_is_given_in_parts_of_one_row_at_least() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setProcessBytesMax(1);
    tunnel.append(0, 5);
    var unused = start(config);
    awaitPositions(processor, 0, 5);
    assertThat(processor.inputs)
        .extracting(input -> input.getRecords().size())
        .containsExactly(1, 1, 1, 1, 1);
  }

  @Test
  void records_tell_what_changed_and_may_be_kept() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    tunnel.append(0, 10);
    TunnelWorker worker = start(config(processor));
    awaitPositions(processor, 0, 10);
    worker.shutdown();
    ProcessRecordsInput input = processor.inputs.get(0);
    assertThat(input.getNextToken()).isEqualTo("10");
    assertThat(input.getPartitionId()).isEqualTo("p0");
    assertThat(input.firstCommitMicros()).isEqualTo(1_000_001);
    StreamRecord record = input.getRecords().get(9);
    assertThat(record.getRecordType()).isEqualTo(StreamRecord.RecordType.PUT);
    assertThat(record.getPrimaryKey().getPrimaryKeyColumn("id").getValue().asLong()).isEqualTo(2);
    RecordColumn column = record.getColumns().get(0);
    assertThat(column.getColumnType()).isEqualTo(RecordColumn.ColumnType.PUT);
    assertThat(column.getColumn().getValue().asLong()).isEqualTo(10);
    assertThat(record.getSequenceInfo().position()).isEqualTo(10);
    assertThat(record.getOriginColumns()).isEmpty();
    assertThat(record.partition()).isZero();
  }

  @Test
  void a_delivery_that_starts_inside_a_batch_begins_at_its_first_position() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorker first =
        new TunnelWorker(
            "tunnel",
            client,
            config(null),
            (tunnelId, clientId, channelId, checkpointer) ->
                new RecordingProcessor(input -> checkpointer.checkpoint("4")));
    workers.add(first);
    first.connectAndWorking();
    tunnel.append(0, 10);
    Waits.until("a checkpoint inside the batch", () -> tunnel.checkpointed(0) == 4);
    first.shutdown();
    RecordingProcessor processor = new RecordingProcessor();
    start(config(processor));
    awaitPositions(processor, 0, 6);
    assertThat(processor.positions(0)).containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(processor.inputs.get(0).getRecords()).hasSize(6);
  }

  @Test
  void a_delivery_larger_than_all_credit_is_processed_and_the_session_goes_on() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setChannelCreditBytes(1_000);
    start(config);
    for (int i = 0; i < 3; i++) {
      tunnel.append(0, 200);
    }
    awaitPositions(processor, 0, 600);
    assertThat(processor.positions(0)).isEqualTo(upTo(600));
    assertThat(tunnel.unreturnedMax(0)).isGreaterThan(1_000);
    assertThat(tunnel.sessions()).isEqualTo(1);
    Waits.until("all credit came back", () -> tunnel.credit(0) == 1_000);
  }
}
