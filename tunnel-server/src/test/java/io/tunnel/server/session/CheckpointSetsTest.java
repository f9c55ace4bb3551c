package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Checkpoints are exported, and brought back to a tunnel or another one. */
final class CheckpointSetsTest extends OperatorsFixture {

  @Test
  void checkpoints_are_exported_brought_back_and_cloned() throws IOException {
    TunnelInfo tunnel = earliest();
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 4L));
    CheckpointSet kept = operators.export(tunnel);
    assertThat(kept.channels())
        .extracting(ChannelPosition::partition, ChannelPosition::position)
        .containsExactly(tuple(low, 4L), tuple(high, 0L));
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    int writes = store.writes();
    Seeks.now(operators, bring(kept));
    assertThat(store.writes()).as("in one write").isEqualTo(writes + 1);
    assertThat(at(tunnel, low)).isEqualTo(4);
    assertThat(at(tunnel, high)).isZero();
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    Seeks.now(operators, bring(kept, id(tunnel, low)));
    assertThat(at(tunnel, high)).as("not named").isEqualTo(6);
  }

  @Test
  void checkpoints_of_changes_that_were_lost_are_not_brought_back() throws IOException {
    TunnelInfo tunnel = earliest();
    history = Optional.of(new IncarnationHistory(List.of(7L), List.of(new Start(7, 1))));
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 4L));
    CheckpointSet kept = operators.export(tunnel);
    assertThat(kept.channels())
        .extracting(ChannelPosition::incarnation)
        .containsExactly(Optional.of(7L), Optional.of(7L));
    Seeks.now(operators, seek(List.of(), StreamStart.EARLIEST, null, null));
    history =
        Optional.of(
            new IncarnationHistory(List.of(7L, 9L), List.of(new Start(7, 1), new Start(9, 4))));
    int writes = store.writes();
    requireRefused(ErrorCode.POSITION_REPLACED, "after 3", () -> Seeks.now(operators, bring(kept)));
    assertThat(store.writes()).isEqualTo(writes);
    assertThat(at(tunnel, low)).isZero();
    ChannelPosition older = position(low, ChannelType.Stream, 4, Bytes.EMPTY);
    Seeks.now(operators, bring(new CheckpointSet(table.tableId(), "t", "n", List.of(older))));
    assertThat(at(tunnel, low)).as("that does not say what it is of").isEqualTo(4);
    ChannelPosition before =
        new ChannelPosition(low, ChannelType.Stream, 3, Bytes.EMPTY, false, Optional.of(7L));
    Seeks.now(operators, bring(new CheckpointSet(table.tableId(), "t", "n", List.of(before))));
    assertThat(at(tunnel, low)).isEqualTo(3);
  }

  @Test
  void an_import_is_all_or_nothing() throws IOException {
    TunnelInfo tunnel = earliest();
    int id = table.tableId();
    ChannelPosition good = position(low, ChannelType.Stream, 3, Bytes.EMPTY);
    requireBad(tunnel, id + 1, "mean nothing in another", good);
    requireBad(tunnel, id, "does not have", good, position(99, ChannelType.Stream, 3, Bytes.EMPTY));
    requireBad(tunnel, id, "does not have", good, position(high, ChannelType.BaseData, 0, null));
    requireBad(tunnel, id, "twice", good, good);
    requireBad(tunnel, id, "name no channel");
    assertThatThrownBy(
            () ->
                Seeks.now(
                    operators,
                    bring(
                        new CheckpointSet(
                            id,
                            "t",
                            "n",
                            List.of(good, position(high, ChannelType.Stream, 7, Bytes.EMPTY))))))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_POSITION));
    assertThat(at(tunnel, low)).isZero();
  }

  private void requireBad(
      TunnelInfo tunnel, int tableId, String message, ChannelPosition... positions)
      throws IOException {
    long before = at(tunnel, low);
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        message,
        () ->
            Seeks.now(operators, bring(new CheckpointSet(tableId, "t", "n", List.of(positions)))));
    assertThat(at(tunnel, low)).isEqualTo(before);
  }

  @Test
  void a_base_channel_is_moved_by_an_import_alone_and_behind_a_key_of_its_partition()
      throws IOException {
    create(new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST));
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    TunnelInfo tunnel = created.get(0);
    String base = ChannelKey.base(low).channelId(tunnel.tunnelId());
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "carries base data",
        () -> Seeks.now(operators, seek(List.of(base), StreamStart.EARLIEST, null, null)));
    Bytes key = TestRows.keyBytes("c");
    for (ChannelPosition bad :
        List.of(
            position(low, ChannelType.BaseData, 3, Bytes.EMPTY),
            position(low, ChannelType.BaseData, 0, key),
            position(low, ChannelType.BaseData, 3, Bytes.fromHex("77")),
            position(high, ChannelType.BaseData, 3, key))) {
      requireBad(tunnel, table.tableId(), "partition", bad);
    }
    Seeks.now(
        operators,
        bring(
            new CheckpointSet(
                table.tableId(), "t", "n", List.of(position(low, ChannelType.BaseData, 3, key)))));
    assertThat(catalog.channel(tunnel.tunnelId(), ChannelKey.base(low)))
        .isEqualTo(ChannelState.startingAt(0).withProgress(3, key));
    Seeks.now(
        operators,
        bring(
            new CheckpointSet(
                table.tableId(),
                "t",
                "n",
                List.of(new ChannelPosition(low, ChannelType.BaseData, 3, key, true)))));
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel(tunnel.tunnelId(), ChannelKey.base(low))
                .isFinished())
        .isTrue();
  }

  @Test
  void an_export_has_each_channel_as_it_is_in_progress_or_finished() throws IOException {
    create(new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST));
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    TunnelInfo tunnel = created.get(0);
    Bytes last = TestRows.keyBytes("c");
    Bytes some = TestRows.keyBytes("x");
    Seeks.now(
        operators,
        bring(
            new CheckpointSet(
                table.tableId(),
                "t",
                "n",
                List.of(
                    new ChannelPosition(low, ChannelType.BaseData, 3, last, true),
                    new ChannelPosition(high, ChannelType.BaseData, 2, some, false)))));
    CheckpointSet exported = operators.export(tunnel);
    assertThat(exported.channels())
        .extracting(
            ChannelPosition::partition,
            ChannelPosition::type,
            ChannelPosition::position,
            ChannelPosition::key,
            ChannelPosition::isFinished)
        .containsExactlyInAnyOrder(
            tuple(low, ChannelType.BaseData, 3L, last, true),
            tuple(high, ChannelType.BaseData, 2L, some, false),
            tuple(low, ChannelType.Stream, 4L, Bytes.EMPTY, false),
            tuple(high, ChannelType.Stream, 5L, Bytes.EMPTY, false));
    Map<ChannelKey, ChannelState> before = catalog.channels(tunnel);
    Seeks.now(operators, seek(List.of(), StreamStart.EARLIEST, null, null));
    Seeks.now(operators, bring(exported));
    assertThat(catalog.channels(tunnel)).as("brought back").isEqualTo(before);
  }
}
