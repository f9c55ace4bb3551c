package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Channels that come to their ends. */
final class ChannelEndsTest extends CoordinatorFixture {

  @Test
  void the_end_of_a_channel_is_stored_before_what_follows() throws IOException {
    PartitionRecord partition = catalog.tables().table("t").partitions().get(0);
    catalog.createTunnel(
        new CreateTunnel("t", "both", TunnelType.BaseAndStream, StreamStart.EARLIEST),
        "two",
        Map.of(
            ChannelKey.base(partition.id()),
            ChannelState.startingAt(0),
            ChannelKey.stream(partition.id()),
            ChannelState.startingAt(4)),
        0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    Assignment base =
        first.held.values().stream()
            .filter(held -> held.partition() == partition.id())
            .findFirst()
            .orElseThrow();
    assertThat(base.type()).isEqualTo(ChannelType.BaseData);
    readToItsEnd(base, 0);
    store.fail(true);
    coordinator.release(ref(base), first);
    assertThat(first.held.values()).noneMatch(held -> held.type() == ChannelType.Stream);
    coordinator.tick();
    assertThat(first.held.values()).noneMatch(held -> held.type() == ChannelType.Stream);
    store.fail(false);
    coordinator.tick();
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel("two", ChannelKey.base(partition.id()))
                .isFinished())
        .isTrue();
    assertThat(first.held.values())
        .filteredOn(held -> held.type() == ChannelType.Stream)
        .extracting(Assignment::partition, Assignment::checkpointed)
        .containsExactly(tuple(partition.id(), 4L));
    assertThat(surroundings.forgotten).containsExactly("two/" + partition.id());
  }

  /** A tunnel of one partition whose base channel was read to its end, which cannot be stored. */
  private TunnelInfo finishedWithoutAWord() throws IOException {
    int partition = catalog.tables().table("t").partitions().get(0).id();
    TunnelInfo two =
        catalog.createTunnel(
            new CreateTunnel("t", "both", TunnelType.BaseAndStream, StreamStart.EARLIEST),
            "two",
            Map.of(
                ChannelKey.base(partition),
                ChannelState.startingAt(3).withProgress(3, TestRows.keyBytes("c")),
                ChannelKey.stream(partition),
                ChannelState.startingAt(4)),
            0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    Assignment base = base(partition);
    readToItsEnd(base, 3);
    store.fail(true);
    coordinator.release(ref(base), first);
    return two;
  }

  /** The server of its partition has told the worker where a base channel ends. */
  private void readToItsEnd(Assignment base, long end) {
    coordinator.limit(new ChannelEnd(base.handle(), base.epoch(), end), first);
  }

  private Assignment base(int partition) {
    return first.held.values().stream()
        .filter(held -> held.partition() == partition && held.type() == ChannelType.BaseData)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_seek_that_comes_before_an_end_that_was_not_stored_is_not_undone_by_it()
      throws IOException {
    TunnelInfo two = finishedWithoutAWord();
    ChannelKey key = ChannelKey.base(catalog.tables().table("t").partitions().get(0).id());
    Operators operators = new Operators(catalog, LogBounds.of(log), coordinator, surroundings);
    Seek back =
        new Seek(
            "t",
            "both",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(
                new CheckpointSet(
                    catalog.tables().table("t").tableId(),
                    "t",
                    "both",
                    List.of(
                        new ChannelPosition(
                            key.partition(), ChannelType.BaseData, 0, Bytes.EMPTY, false)))),
            false);
    assertThatThrownBy(() -> Seeks.now(operators, back)).isInstanceOf(IOException.class);
    store.fail(false);
    Seeks.now(operators, back);
    coordinator.tick();
    ChannelState stored = new TunnelCatalog(new Catalog(store)).channel("two", key);
    assertThat(stored.checkpointed()).isZero();
    assertThat(stored.isFinished()).as("a channel at its beginning").isFalse();
    assertThat(coordinator.view(two).describe(log, partition -> LogFigures.UNKNOWN, 11).channels())
        .filteredOn(channel -> channel.type() == ChannelType.BaseData)
        .filteredOn(channel -> channel.partition() == key.partition())
        .extracting(ChannelDescription::status)
        .containsExactly(ChannelStatus.OPEN);
  }

  @Test
  void what_a_holder_read_to_its_end_that_holds_nothing_any_more_does_not_end_it_for_the_next()
      throws IOException {
    Map<ChannelKey, ChannelState> states = new HashMap<>();
    for (PartitionRecord partition : catalog.tables().table("t").partitions()) {
      states.put(ChannelKey.base(partition.id()), ChannelState.startingAt(0));
    }
    catalog.createTunnel(
        new CreateTunnel("t", "base", TunnelType.BaseData, StreamStart.EARLIEST), "two", states, 0);
    coordinator.open(new OpenSession("two", "tag", LEASE_MS, 0), first, opened -> {});
    List<Assignment> held = List.copyOf(first.held.values());
    readToItsEnd(held.get(0), 0);
    store.fail(true);
    coordinator.release(ref(held.get(0)), first);
    coordinator.release(ref(held.get(1)), first);
    assertThat(first.held).as("nothing more is done until the end is stored").hasSize(2);
    readToItsEnd(held.get(1), 0);
    store.fail(false);
    coordinator.tick();
    Assignment again = base(held.get(1).partition());
    assertThat(again.epoch()).isGreaterThan(held.get(1).epoch());
    coordinator.release(ref(again), first);
    assertThat(catalog.channel("two", ChannelKey.base(again.partition())).isFinished())
        .as("its rows were not read to their end")
        .isFalse();
  }
}
