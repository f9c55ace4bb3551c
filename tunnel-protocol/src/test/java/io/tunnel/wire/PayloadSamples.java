package io.tunnel.wire;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Payloads of every kind, with values that are hard to write or to read. */
final class PayloadSamples {

  static final TableMeta META =
      new TableMeta(
          "orders",
          List.of(
              new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
              new PrimaryKeySchema("é\"中😀<&", PrimaryKeyType.INTEGER)),
          new TableOptions(Durability.OS));

  private static final Control.PartitionDescription PARTITION =
      new Control.PartitionDescription(
          7,
          Bytes.fromHex("00ff80"),
          Bytes.EMPTY,
          List.of(3, 4),
          Long.MAX_VALUE,
          true,
          Long.MIN_VALUE,
          9_007_199_254_740_993L,
          1,
          0);

  private static final Control.TunnelInfo TUNNEL =
      new Control.TunnelInfo(
          "t-1", "sync", "orders", TunnelType.Stream, StreamStart.EARLIEST, 1_700_000_000_000L);

  private static final Control.ChannelDescription HELD =
      new Control.ChannelDescription(
          "c-1",
          7,
          ChannelStatus.OPEN,
          Optional.of("s-1"),
          Optional.of("worker"),
          2,
          10,
          20,
          30,
          20,
          4_000,
          5,
          ChannelType.Stream,
          true,
          Optional.of(40L),
          Optional.of("the processor threw"),
          List.of("c-0"),
          Optional.of(-5L),
          Optional.empty(),
          Optional.empty());

  static final Control.ChannelDescription FREE =
      new Control.ChannelDescription(
          "c-2",
          8,
          ChannelStatus.WAIT,
          Optional.empty(),
          Optional.empty(),
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          ChannelType.BaseData,
          false,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final ClusterControl.NodeDescription MEMBER =
      new ClusterControl.NodeDescription(
          "n1", "x-1", "h:1", false, List.of(7, 8), List.of(9), 16, true, 2);

  private static final ClusterControl.ReplicaStatus REPLICA =
      new ClusterControl.ReplicaStatus(7, "LEADING", 5, 40, 40);

  private static final OperatorControl.CheckpointSet CHECKPOINTS =
      new OperatorControl.CheckpointSet(
          3,
          "orders",
          "sync",
          List.of(
              new OperatorControl.ChannelPosition(
                  7, ChannelType.BaseData, 2, Bytes.fromHex("0380"), true),
              new OperatorControl.ChannelPosition(7, ChannelType.Stream, 5, Bytes.EMPTY, false)));

  static final PrimaryKey KEY =
      PrimaryKey.builder().add("id", 7).add("name", "é\0").add("b", new byte[] {0, -1}).build();

  private static final Bytes SESSION_SECRET = Bytes.fromHex("000102030405060708090a0b0c0d0e0f");

  private static final FailureControl.FailedChange FAILED =
      new FailureControl.FailedChange(8, KEY, 3);

  static final FailureControl.Retry RETRY =
      new FailureControl.Retry(Optional.of(FAILED), 4, 60_000, 30_000, "away");

  private PayloadSamples() {}

  /**
   * At least one payload of every kind; optional members are present in one sample and absent in
   * another.
   */
  static Stream<Control> all() {
    return Stream.concat(others(), SecuritySamples.all());
  }

  private static Stream<Control> others() {
    return Stream.of(
        new Control.Empty(),
        new Control.CreateTable(
            META,
            List.of(
                PrimaryKeyValue.fromBinary(new byte[] {0, -1}),
                PrimaryKeyValue.fromString("é\0\n"),
                PrimaryKeyValue.fromLong(Long.MIN_VALUE))),
        new Control.TableName("orders"),
        new Control.TableList(List.of("a", "b")),
        PARTITION,
        new Control.TableDescription(1, META, 1_700_000_000_000L, List.of(PARTITION)),
        new Control.CreateTunnel("orders", "sync", TunnelType.BaseAndStream, StreamStart.LATEST),
        new Control.TunnelName("orders", "sync"),
        TUNNEL,
        new Control.TunnelList(List.of(TUNNEL)),
        HELD,
        FREE,
        new Control.TunnelDescription(TUNNEL, List.of(HELD, FREE)),
        new SessionControl.OpenSession("t-1", "worker", 30_000, 0),
        new SessionControl.SessionOpened("s-1", META),
        new SessionControl.SessionOpened("s-1", META, 6_000),
        new SessionControl.SessionId("s-1"),
        new SessionControl.Assignment("s-1", "c-1", 7, 1, 2, 3, ChannelType.BaseData),
        new SessionControl.Revocation("s-1", 1, 2, 30_000),
        new SessionControl.Fence("s-1", 1, 2, "another holds it"),
        new SessionControl.SessionEnd("s-1", ErrorCode.TUNNEL_NOT_FOUND, "the tunnel was deleted"),
        new SessionControl.StopChannel(1, 2, "the processor threw"),
        new SessionControl.StopChannel(1, 2, "the processor threw", Optional.of(FAILED)),
        new FailureControl.Heartbeat("s-1", List.of()),
        new FailureControl.Heartbeat(
            "s-1", List.of(new FailureControl.RetryingChannel(1, 2, RETRY))),
        new FailureControl.SkippingCheckpoint(
            1, 2, 9, Bytes.fromHex("80"), List.of(new FailureControl.Skip(8, KEY, "odd"))),
        new Control.TunnelDescription(
            TUNNEL,
            List.of(),
            false,
            List.of(),
            new FailureControl.Skipped(
                1_000,
                List.of(
                    new FailureControl.SkippedChange(
                        7, ChannelType.Stream, 8, KEY, "odd", 1_700_000_000_000L)))),
        new Control.CreateTunnel(
            "orders",
            "sync",
            TunnelType.Stream,
            StreamStart.LATEST,
            Optional.of(1L),
            Optional.of(2L)),
        new Control.TunnelDescription(
            TUNNEL,
            List.of(),
            true,
            List.of(new Control.SessionDescription("s-1", "worker", 3, 0, 29_000))),
        new OperatorControl.ChannelSelection("orders", "sync", List.of("c-1")),
        CHECKPOINTS,
        new OperatorControl.Seek(
            "orders",
            "sync",
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(CHECKPOINTS),
            true),
        new OperatorControl.SeekResult(
            List.of(new OperatorControl.Move("c-1", 7, ChannelType.Stream, 9, 3)), 4),
        new OperatorControl.EndSession("orders", "sync", "s-1"),
        new OperatorControl.AlterTable(
            "orders",
            new OptionsChange()
                .withDurability(Durability.OS)
                .withRetention(Duration.ofMillis(1))
                .withRetentionBytes(2)),
        new OperatorControl.AlterTable("orders", new OptionsChange().withTtl(Duration.ofHours(1))),
        new SessionControl.Assignment(
            "s-1",
            "c-1",
            7,
            1,
            2,
            3,
            ChannelType.BaseData,
            Optional.of("node-2:7700"),
            Bytes.fromHex("038000000000000001"),
            Optional.empty(),
            Optional.of(9L),
            Bytes.fromHex("7f"),
            Optional.of(4L)),
        new ClusterControl.Attach(
            "t-1",
            "c-1",
            7,
            ChannelType.Stream,
            2,
            3,
            Bytes.EMPTY,
            Optional.of(40L),
            Optional.of(9L),
            Bytes.fromHex("7f")),
        new ClusterControl.Attached(5),
        new ClusterControl.Attached(5, Optional.of(1_790_000_000_000L)),
        new ClusterControl.ClusterDescription(
            "orders-1",
            4,
            "n1",
            List.of(MEMBER),
            List.of(new ClusterControl.GoneNode("n2", "n2:7650", 1_790_000_000_000L)),
            1),
        new ClusterControl.NodeStatus("n1", List.of(REPLICA)),
        new ClusterControl.NodeStatus(
            "n1",
            List.of(),
            Optional.of(
                new ClusterControl.NodeFigures(
                    7,
                    List.of(new ClusterControl.FigureValue("writtenRows", 1.5)),
                    List.of(
                        new ClusterControl.TunnelLag(
                            "t", "a", Optional.of(2.5), 3, 4, 1, 0, 2, Optional.empty()))))),
        new ClusterControl.DescribeNode(ClusterControl.NodePart.FIGURES),
        new ClusterControl.DrainNode(true),
        new ClusterControl.Upgrade(Optional.of(2)),
        new ClusterControl.Upgrade(Optional.empty()),
        new ClusterControl.Levels(1, List.of(new ClusterControl.NodeLevel("n1", 2))),
        new Control.RequestId(Optional.of("id-1")),
        new Control.RequestId(Optional.empty()),
        new PartitionControl.ReadPartition(
            7,
            ChannelType.BaseData,
            3,
            Bytes.fromHex("038000000000000001"),
            Optional.empty(),
            Optional.empty()),
        new PartitionControl.ReadPartition(
            7, ChannelType.Stream, 3, Bytes.EMPTY, Optional.of(40L), Optional.of(9L)),
        new PartitionControl.ReadPartition(
            7,
            ChannelType.Stream,
            3,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.empty(),
            Optional.of(new KnownPosition(5, 1_790_000_000_000L))),
        new PartitionControl.Watch(
            new PartitionControl.ReadPartition(
                7,
                ChannelType.Stream,
                3,
                Bytes.EMPTY,
                Optional.empty(),
                Optional.empty(),
                Optional.of(new KnownPosition(5, 1_790_000_000_000L))),
            new KeyTerms(
                List.of(Bytes.fromHex("056100")),
                List.of(Bytes.EMPTY, Bytes.fromHex("0562")),
                true)),
        new RowSessionControl.Open(10_000, SESSION_SECRET),
        new RowSessionControl.Opened(7),
        new RowSessionControl.Named(7, SESSION_SECRET),
        new RowSessionControl.After(7),
        new RowSessionControl.Numbered(7),
        new RowSessionControl.SessionList(
            List.of(new RowSessionControl.SessionInfo(8, "ada", 10_000, 9_000, 3)), true),
        new RowSessionControl.SessionInfo(8, "ada", 10_000, 9_000, 3),
        new PartitionControl.FindPositions("orders", Optional.of(9L)),
        new PartitionControl.FoundPositions(
            3,
            List.of(
                new PartitionControl.Positions(7, 1, 40, Optional.of(5L)),
                new PartitionControl.Positions(8, 0, 0, Optional.empty())),
            1_790_000_000_000L),
        new PartitionControl.FoundPositions(
            3,
            List.of(
                new PartitionControl.Positions(
                    7, 1, 40, Optional.of(5L), Optional.of(1_790_000_000_000L))),
            1_790_000_000_001L));
  }
}
