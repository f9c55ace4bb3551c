package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.model.Durability;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.server.Logged;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.engine.LossWatch;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.log.Kept;
import io.tunnel.server.metrics.Scraped;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.metrics.TunnelSample;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What operators are told of a channel whose changes retention is about to take, and then takes.
 */
final class TunnelHistoryTest extends OperatorsFixture {

  private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

  private long nowNanos;
  private long lost;

  private void keepForADay() throws IOException {
    table =
        catalog
            .tables()
            .alterTable(table, new TableOptions(Durability.FSYNC, DAY_MS, 0), Asked.NAMELESS);
  }

  private TunnelDescription described(long nowMs) throws IOException {
    return coordinator
        .view(created.get(0))
        .describe(log, partition -> LogFigures.UNKNOWN, TimeUnit.MILLISECONDS.toMicros(nowMs));
  }

  private ChannelDescription lowAt(long nowMs) throws IOException {
    return described(nowMs).channels().stream()
        .filter(channel -> channel.partition() == low)
        .findFirst()
        .orElseThrow();
  }

  /** Retention takes all changes of the low partition. */
  private void trim() throws IOException {
    log.seal();
    Kept kept = log.kept(List.of(low)).get(0);
    log.trim(Map.of(low, kept.base()), partition -> true, log.end());
  }

  private void seekToEarliest() throws IOException {
    Seek seek =
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.of(StreamStart.EARLIEST),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false);
    Seeks.now(operators, seek);
  }

  private List<String> lines(String meter, long nowMs) throws IOException {
    try (ServerMeters meters = new ServerMeters(() -> 0L)) {
      meters.tunnels(List.of(TunnelSample.of(described(nowMs))), 100);
      return Scraped.of(meters)
          .lines()
          .filter(line -> line.startsWith(meter + "{"))
          .map(line -> line.replaceAll("\\{.*}", ""))
          .toList();
    }
  }

  @Test
  void what_is_still_kept_is_not_lost_however_old_it_is() throws IOException {
    keepForADay();
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    assertThat(lowAt(100).historyLeftMs()).contains(DAY_MS);
    assertThat(lowAt(1_100).historyLeftMs()).contains(DAY_MS - 1_000);
    assertThat(lowAt(3 * DAY_MS).historyLeftMs()).as("any moment").contains(0L);
    assertThat(lowAt(3 * DAY_MS).lagMs()).isEqualTo(3 * DAY_MS - 100);
  }

  @Test
  void a_lag_never_falls_to_nothing_because_changes_are_lost() throws IOException {
    keepForADay();
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    trim();
    long nowMs = 2 * DAY_MS;
    assertThat(lowAt(nowMs).historyLeftMs()).contains(-1L);
    assertThat(lowAt(nowMs).lagRows()).isEqualTo(6);
    assertThat(lowAt(nowMs).lagBytes()).as("of which none is kept").isPositive();
    assertThat(lowAt(nowMs).lagMs()).as("since the newest lost change").isEqualTo(nowMs - 200);
    assertThat(lowAt(0).lagMs()).as("a clock that was set back").isEqualTo(1);
  }

  /** What a node of a cluster knows of each partition, of which changes 1 to 6 are lost. */
  private record Elsewhere(long committed, long bytes, long micros) implements LogFigures {
    @Override
    public long committed(int partition) {
      return committed;
    }

    @Override
    public long firstPosition(int partition) {
      return 7;
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return bytes;
    }

    @Override
    public long commitMicrosAfter(int partition, long position) {
      return position == 0 ? micros : UNKNOWN;
    }

    @Override
    public Optional<Long> givenUpMicros(int partition) {
      return Optional.empty();
    }
  }

  private TunnelDescription described(LogFigures figures) throws IOException {
    return coordinator
        .view(created.get(0))
        .describe(figures, partition -> LogFigures.UNKNOWN, TimeUnit.SECONDS.toMicros(5));
  }

  @Test
  void a_loss_stays_a_loss_while_the_leader_does_not_answer() throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    long unknown = LogFigures.UNKNOWN;
    TunnelDescription silent = described(new Elsewhere(unknown, unknown, unknown));
    assertThat(silent.channels()).extracting(ChannelDescription::lagRows).containsOnly(unknown);
    assertThat(silent.channels()).extracting(ChannelDescription::lagMs).containsOnly(unknown);
    assertThat(silent.channels()).allMatch(channel -> channel.historyLeftMs().orElse(0L) < 0);
    assertThat(TunnelSample.of(silent).lost()).isEqualTo(2);
  }

  @Test
  void a_lost_channel_is_counted_once_and_has_no_lag_of_0() throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    ChannelDescription none = described(new Elsewhere(6, 0, 0)).channels().get(0);
    assertThat(none.lagRows()).isEqualTo(6);
    assertThat(none.lagBytes()).as("nothing is kept").isEqualTo(1);
    assertThat(none.lagMs()).isEqualTo(1);
    TunnelDescription some = described(new Elsewhere(9, LogFigures.UNKNOWN, 3_000_000));
    assertThat(some.channels())
        .extracting(ChannelDescription::lagBytes)
        .containsOnly(LogFigures.UNKNOWN);
    assertThat(some.channels())
        .as("at least since the oldest change that is kept")
        .extracting(ChannelDescription::lagMs)
        .containsOnly(2_000L);
    TunnelSample sample = TunnelSample.of(some);
    assertThat(sample.lost()).isEqualTo(2);
    assertThat(sample.streams()).allMatch(channel -> Double.isNaN(channel.lagBytes()));
    assertThat(sample.streams()).allMatch(channel -> channel.leftSeconds().orElseThrow() == -1);
  }

  @Test
  void meters_say_how_long_history_is_left_and_which_channels_lost_it() throws Exception {
    keepForADay();
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    String left = "tunnel_channel_history_left_seconds";
    assertThat(lines(left, 100)).containsExactly(left + " 86400.0", left + " 86400.0");
    assertThat(lines(left, 10_100)).containsExactly(left + " 86390.0", left + " 86390.0");
    assertThat(lines("tunnel_channels_lost", 100)).containsExactly("tunnel_channels_lost 0.0");
    trim();
    assertThat(lines(left, 100)).containsExactlyInAnyOrder(left + " -1.0", left + " 86400.0");
    assertThat(lines("tunnel_channels_lost", 100)).containsExactly("tunnel_channels_lost 1.0");
    seekToEarliest();
    assertThat(lines("tunnel_channels_lost", 100)).containsExactly("tunnel_channels_lost 0.0");
    assertThat(lines(left, 100))
        .as("of who has nothing to read")
        .containsExactly(left + " 86400.0");
  }

  @Test
  void a_loss_is_logged_once_though_nobody_reads_the_tunnel() throws Exception {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    LossWatch watch = watch();
    try (Logged logged = Logged.of(LossWatch.class)) {
      watch.look();
      assertThat(logged.at(Level.WARN)).isEmpty();
      trim();
      watch.look();
      watch.look();
      assertThat(logged.at(Level.WARN))
          .singleElement()
          .asString()
          .contains("tunnel n of table t lost changes 1 to 6 of partition " + low);
      seekToEarliest();
      watch.look();
      write(300);
      trimAll();
      watch.look();
      assertThat(logged.at(Level.WARN)).as("a second loss").hasSize(2);
      assertThat(lost).as("six changes, and three more").isEqualTo(6 + 3);
    }
  }

  @Test
  void each_further_loss_is_counted_and_logged_once_a_minute() throws Exception {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    LossWatch watch = watch();
    watch.look();
    trim();
    watch.look();
    try (Logged logged = Logged.of(LossWatch.class)) {
      for (int further = 1; further <= 3; further++) {
        write(300);
        trimAll();
        watch.look();
      }
      assertThat(logged.at(Level.WARN)).as("within a minute of the first line").isEmpty();
      assertThat(lost).isEqualTo(6 + 3 * 3);
      nowNanos += TimeUnit.MINUTES.toNanos(1);
      watch.look();
      watch.look();
      assertThat(logged.at(Level.WARN))
          .singleElement()
          .asString()
          .contains("tunnel n of table t lost 9 more changes of partition " + low);
      assertThat(lost).isEqualTo(6 + 3 * 3);
    }
  }

  @Test
  void what_a_worker_has_received_is_not_lost_before_its_session_ends() throws Exception {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    LossWatch watch = watch();
    watch.look();
    String session = session(created.get(0));
    port.delivered = OptionalLong.of(6);
    trim();
    watch.look();
    assertThat(lost).as("the worker may still process the changes").isZero();
    coordinator.close(session, port);
    watch.look();
    assertThat(lost).isEqualTo(6);
  }

  @Test
  void what_was_lost_before_a_start_is_logged_and_not_counted_again() throws Exception {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    trim();
    try (Logged logged = Logged.of(LossWatch.class)) {
      watch().look();
      assertThat(logged.at(Level.WARN)).hasSize(1);
      assertThat(lost).isZero();
    }
  }

  private void trimAll() throws IOException {
    log.seal();
    List<Kept> kept = log.kept(List.of(low));
    log.trim(Map.of(low, kept.get(kept.size() - 1).base()), partition -> true, log.end());
  }

  private LossWatch watch() {
    Operators unused = new Operators(catalog, LogBounds.of(log, id -> history), coordinator, null);
    TunnelHost host = new TunnelHost(catalog, coordinator, unused, Runnable::run);
    return new LossWatch(
        new Ports.Tunnels(TunnelHosts.alone(host), null, log, partition -> 0),
        () -> nowNanos,
        changes -> lost += changes);
  }

  @Test
  void rows_of_a_base_channel_that_nobody_has_read_are_there() throws IOException {
    create(new CreateTunnel("t", "n", TunnelType.BaseData, StreamStart.LATEST));
    surroundings.keeping.get(0).kept(Map.of(low, 6L, high, 6L));
    List<ChannelDescription> channels =
        coordinator.view(created.get(0)).describe(log, partition -> 3, 0).channels();
    assertThat(channels).extracting(ChannelDescription::committed).containsOnly(3L);
    assertThat(channels).extracting(ChannelDescription::lagRows).containsOnly(3L);
    assertThat(
            coordinator
                .view(created.get(0))
                .describe(log, partition -> LogFigures.UNKNOWN, 0)
                .channels())
        .as("rows that this server cannot count")
        .extracting(ChannelDescription::committed)
        .containsOnly(0L);
  }
}
