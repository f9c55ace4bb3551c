package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is true of tunnels, for workers. */
abstract class TunnelsContract extends Contract {

  private static final String NAME = "audit";

  @Test
  void a_second_tunnel_of_a_name_is_refused_and_an_unknown_one_not_found() {
    TableInfo table = table();
    var unused = stream(table, NAME);
    assertRefused(ErrorCode.TUNNEL_EXISTS, () -> stream(table, NAME));
    assertRefused(ErrorCode.TUNNEL_NOT_FOUND, () -> channels(table, "other").now());
    assertRefused(
        ErrorCode.TUNNEL_NOT_FOUND,
        () -> tunnels().deleteTunnel(new DeleteTunnelRequest(table.meta().name(), "other")));
    assertRefused(
        ErrorCode.TABLE_NOT_FOUND,
        () -> tunnels().createTunnel(new CreateTunnelRequest("none", NAME, TunnelType.Stream)));
  }

  @Test
  void a_stream_from_the_start_is_every_change_in_order_and_from_now_on_only_later_ones() {
    TableInfo table = table();
    writeEach(table, 1, 3);
    String latest =
        tunnels()
            .createTunnel(
                new CreateTunnelRequest(
                    table.meta().name(), "latest", TunnelType.Stream, StreamStart.LATEST))
            .getTunnelId();
    Values all = new Values();
    Values later = new Values();
    var unusedAll = worker(stream(table, NAME), "all", all);
    var unusedLater = worker(latest, "later", later);
    write(table, put(1, 4));
    all.await(4);
    later.await(1);
    assertThat(all.all()).isEqualTo(oneTo(4));
    assertThat(later.all()).containsExactly(4L);
  }

  @Test
  void a_graceful_move_repeats_nothing_and_loses_nothing() {
    TableInfo table = table(100, 200, 300);
    String tunnelId = stream(table, NAME);
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    for (int i = 1; i <= 40; i++) {
      write(table, put(i % 4 * 100 + 1, i));
    }
    TunnelWorker second = worker(tunnelId, "b", values);
    channels(table, NAME).awaitSpread(Map.of("a", 2, "b", 2));
    for (int i = 41; i <= 80; i++) {
      write(table, put(i % 4 * 100 + 1, i));
    }
    second.shutdown();
    channels(table, NAME).awaitSpread(Map.of("a", 4));
    for (int i = 81; i <= 120; i++) {
      write(table, put(i % 4 * 100 + 1, i));
    }
    channels(table, NAME).awaitDrained();
    assertThat(values.all()).containsExactlyInAnyOrderElementsOf(oneTo(120));
  }

  @Test
  void rows_larger_than_all_the_credit_of_a_channel_are_processed_once() {
    TableInfo table = table();
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    Values values = new Values();
    config.setChannelProcessor(values);
    config.setCheckpointIntervalInMillis(20);
    TunnelWorker worker = worker(stream(table, NAME), config);
    Column large = new Column("text", ColumnValue.fromString("x".repeat(3 << 19)));
    for (int i = 1; i <= 3; i++) {
      Column v = new Column("v", ColumnValue.fromLong(i));
      write(table, new RowPutChange(key(i), List.of(v, large)));
    }
    channels(table, NAME).awaitDrained();
    assertThat(values.all()).isEqualTo(oneTo(3));
    assertThat(worker.status().counters().sessions()).isEqualTo(1);
  }

  @Test
  void a_stream_with_an_end_in_the_past_ends_behind_what_is_before_it() {
    TableInfo table = table(10);
    String tunnelId =
        tunnels()
            .createTunnel(
                new CreateTunnelRequest(
                    table.meta().name(),
                    NAME,
                    TunnelType.Stream,
                    StreamTunnelConfig.EARLIEST.withEnd(1)))
            .getTunnelId();
    writeEach(table, 1, 3);
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    awaitTerminated(table, NAME);
    assertThat(values.all()).isEmpty();
  }

  @Test
  void a_stream_ends_when_its_end_has_come_and_what_is_written_later_is_not_in_it() {
    TableInfo table = table();
    writeEach(table, 1, 3);
    long endMs = subject().nowMs() + 200;
    String tunnelId =
        tunnels()
            .createTunnel(
                new CreateTunnelRequest(
                    table.meta().name(),
                    NAME,
                    TunnelType.Stream,
                    StreamTunnelConfig.EARLIEST.withEnd(endMs)))
            .getTunnelId();
    Values values = new Values();
    var unused = worker(tunnelId, "a", values);
    values.await(3);
    subject().awaitTime(endMs);
    awaitTerminated(table, NAME);
    write(table, put(1, 4));
    assertThat(channels(table, NAME).now())
        .extracting(ChannelInfo::end, ChannelInfo::checkpointed)
        .containsExactly(tuple(Optional.of(3L), 3L));
    assertThat(values.all()).isEqualTo(oneTo(3));
  }

  @Test
  void a_stream_starts_in_the_past_and_ends_after_its_start() {
    TableInfo table = table();
    long future = subject().nowMs() + 1_000_000;
    assertRefused(
        ErrorCode.INVALID_POSITION, () -> createStream(table, StreamTunnelConfig.fromTime(future)));
    assertRefused(
        ErrorCode.INVALID_REQUEST, () -> createStream(table, StreamTunnelConfig.LATEST.withEnd(1)));
    assertThat(tunnelsOf(table)).isEmpty();
  }

  private void createStream(TableInfo table, StreamTunnelConfig config) {
    var unused =
        tunnels()
            .createTunnel(
                new CreateTunnelRequest(table.meta().name(), NAME, TunnelType.Stream, config));
  }

  private List<TunnelInfo> tunnelsOf(TableInfo table) {
    return tunnels().listTunnel(new ListTunnelRequest(table.meta().name())).getTunnelInfos();
  }

  @Test
  void a_stream_from_a_moment_begins_with_the_first_change_at_or_after_it() {
    TableInfo table = table();
    writeEach(table, 1, 2);
    long moment = subject().nowMs() + 1;
    Poll.until(
        "the moment",
        () -> {
          subject().awaitTime(moment);
          return subject().nowMs() >= moment;
        });
    write(table, put(1, 3));
    createStream(table, StreamTunnelConfig.fromTime(moment));
    Values values = new Values();
    var unused = worker(channels(table, NAME).tunnelId(), "a", values);
    values.await(1);
    assertThat(values.all()).containsExactly(3L);
  }

  @Test
  void a_processor_that_throws_stops_its_channel_until_it_is_resumed() {
    TableInfo table = table(10);
    Values values = new Values();
    AtomicBoolean isWell = new AtomicBoolean();
    IChannelProcessor picky =
        new IChannelProcessor() {
          @Override
          public void process(ProcessRecordsInput input) {
            boolean isBad = input.getRecords().get(0).value("v").orElseThrow().asLong() == 13;
            if (isBad && !isWell.get()) {
              throw new IllegalStateException("13 is bad luck");
            }
            values.process(input);
          }

          @Override
          public void shutdown() {
            values.shutdown();
          }
        };
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(picky)
            .checkpointIntervalInMillis(20)
            .failurePolicy((input, error, attempts) -> new FailurePolicy.Stop())
            .build();
    var unused = worker(stream(table, NAME), config);
    write(table, put(11, 13), put(1, 1));
    Channels channels = channels(table, NAME);
    Poll.until(
        Poll.LONG,
        () -> channels.now().get(1).error().isPresent(),
        () -> "an error, but " + channels.now());
    assertThat(channels.now().get(1).error().orElseThrow()).contains("13 is bad luck");
    values.await(1);
    isWell.set(true);
    assertThat(
            tunnels().resumeTunnel(new ResumeTunnelRequest(table.meta().name(), NAME, List.of())))
        .isNotNull();
    values.await(2);
    assertThat(values.all()).containsExactly(1L, 13L);
    assertThat(channels.now().get(1).error()).isEmpty();
  }

  /** The tunnel tells about how many rows wait; after the last row the number is 0. */
  @Test
  void a_new_tunnel_with_base_data_is_behind_by_the_rows_that_are_there() {
    TableInfo table = table(50);
    writeEach(table, 48, 7);
    String name = table.meta().name();
    String id = tunnel(table, NAME, TunnelType.BaseAndStream);
    DescribeTunnelRequest request = new DescribeTunnelRequest(name, NAME);
    DescribeTunnelResponse described = tunnels().describeTunnel(request);
    assertThat(described.lagRows()).isEqualTo(7);
    assertThat(described.isLagEstimated()).isTrue();
    assertThat(described.getChannelInfos())
        .filteredOn(ChannelInfo::isLagEstimated)
        .extracting(ChannelInfo::partition, ChannelInfo::lagRows)
        .containsExactly(
            tuple(table.partitions().get(0).id(), 2L), tuple(table.partitions().get(1).id(), 5L));
    var unused = worker(id, "worker", IChannelProcessor.of(input -> {}));
    channels(table, NAME).awaitDrained();
    Poll.until("no lag", () -> tunnels().describeTunnel(request).lagRows() == 0);
    assertThat(tunnels().describeTunnel(request).isLagEstimated()).isFalse();
  }
}
