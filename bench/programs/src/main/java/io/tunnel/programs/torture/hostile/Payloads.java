package io.tunnel.programs.torture.hostile;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Direction;
import io.tunnel.model.Durability;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Hello;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.util.List;
import java.util.Optional;

/** What well-formed clients send with each operation. */
public final class Payloads {

  private static final byte[] NOTHING = {};
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1).build();

  private Payloads() {}

  /**
   * The payload with which a client asks for what is named; empty for what only servers say, and
   * for LIMIT, which is pushed and never answered. An operation that is added does not compile
   * before it is said here.
   */
  public static Optional<byte[]> of(Operation operation, Named named) {
    return switch (operation) {
      case HELLO -> Optional.of(Hello.request(Protocol.SPOKEN, "again").encode());
      case AUTHENTICATE ->
          Optional.of(
              new Authentication.Begin(
                      named.keyId(), Bytes.copyOf(new byte[Authentication.NONCE_BYTES]))
                  .encode());
      case ECHO -> Optional.of(new EchoRequest(true, Bytes.copyOf(new byte[] {1, 2, 3})).encode());
      case LIST_TABLES,
          DESCRIBE_CLUSTER,
          WHO_AM_I,
          LIST_KEYS,
          LIST_GROUPS,
          LIST_TOKENS,
          LIST_QUOTAS ->
          Optional.of(NOTHING);
      case WRITE -> Optional.of(write(named));
      case OPEN_WRITER ->
          Optional.of(
              new WriterToken.Request(
                      named.tableId(), Bytes.copyOf(new byte[WriterToken.SECRET_BYTES]))
                  .encode());
      case OPEN_ROW_SESSION ->
          json(
              new RowSessionControl.Open(5_000, Bytes.copyOf(new byte[SessionProof.SECRET_BYTES])));
      case LIST_ROW_SESSIONS -> json(new RowSessionControl.After(0));
      case END_ROW_SESSION -> json(new RowSessionControl.Numbered(named.epoch()));
      case RENEW_ROW_SESSION, CLOSE_ROW_SESSION ->
          json(
              new RowSessionControl.Named(
                  named.epoch(), Bytes.copyOf(new byte[SessionProof.SECRET_BYTES])));
      case GET_ROW -> Optional.of(new GetRowRequest(named.tableId(), key(named)).encode());
      case GET_ROWS ->
          Optional.of(
              new GetRowsRequest(named.tableId(), List.of(key(named)), ReadTerms.BOUNDED).encode());
      case GET_RANGE ->
          Optional.of(
              new RangeRequest(named.tableId(), Direction.BACKWARD, 9, 99, key(named), Bytes.EMPTY)
                  .encode());
      case RELEASE, DETACH -> Optional.of(new ChannelRef(named.handle(), named.epoch()).encode());
      case CREDIT -> Optional.of(new Credit(named.handle(), named.epoch(), 100).encode());
      case CHECKPOINT -> Optional.of(new Checkpoint(named.handle(), named.epoch(), 1).encode());
      case LOOK,
          ASSIGN,
          REVOKE,
          DELIVER,
          END_OF_CHANNEL,
          FENCE,
          SESSION_END,
          LIMIT,
          RENEW,
          SETTLED ->
          Optional.empty();
      case CREATE_TABLE -> json(new Control.CreateTable(named.meta(), List.of()));
      case ALTER_TABLE ->
          json(
              new OperatorControl.AlterTable(
                  named.table(), new OptionsChange().withDurability(Durability.OS)));
      case DESCRIBE_TABLE, DROP_TABLE, PARTITION_MAP, LIST_TUNNELS ->
          json(new Control.TableName(named.table()));
      case CREATE_TUNNEL ->
          json(
              new Control.CreateTunnel(
                  named.table(), named.tunnel(), TunnelType.Stream, StreamStart.EARLIEST));
      case DESCRIBE_TUNNEL, DELETE_TUNNEL, EXPORT_CHECKPOINTS ->
          json(new Control.TunnelName(named.table(), named.tunnel()));
      case SEEK -> json(seek(named));
      case PAUSE, RESUME ->
          json(new OperatorControl.ChannelSelection(named.table(), named.tunnel(), List.of()));
      case END_SESSION ->
          json(new OperatorControl.EndSession(named.table(), named.tunnel(), named.sessionId()));
      case DESCRIBE_NODE -> json(new DescribeNode(NodePart.REPLICAS));
      case DRAIN_NODE -> json(new DrainNode(true));
      case UPGRADE -> json(new Upgrade(Optional.empty()));
      case OPEN_SESSION -> json(new SessionControl.OpenSession(named.tunnelId(), "raw", 30_000, 0));
      case CLOSE_SESSION -> json(new SessionControl.SessionId(named.sessionId()));
      case HEARTBEAT -> json(new Heartbeat(named.sessionId(), List.of()));
      case STOP_CHANNEL ->
          json(new SessionControl.StopChannel(named.handle(), named.epoch(), "broken"));
      case CHECKPOINT_SKIPPING -> json(skipping(named));
      case ATTACH -> json(attach(named, Bytes.EMPTY));
      case READ_PARTITION -> json(read(named));
      case WATCH -> json(watch(named));
      case FIND_POSITIONS ->
          json(new PartitionControl.FindPositions(named.table(), Optional.of(1L)));
      case CREATE_KEY -> json(new SecurityControl.CreateKey(named.principal()));
      case REVOKE_KEY -> json(new SecurityControl.SecurityId(named.keyId()));
      case ROTATE_KEY -> json(new SecurityControl.RotateKey(named.keyId(), false));
      case GRANT, WITHDRAW -> json(permission(named));
      case LIST_PERMISSIONS ->
          json(new SecurityControl.PermissionQuery(Optional.of(named.principal())));
      case CHANGE_GROUP ->
          json(
              new SecurityControl.ChangeGroup(
                  "strangers", List.of(named.principal()), List.of("eve")));
      case CREATE_TOKEN ->
          json(new SecurityControl.CreateToken(named.principal(), Optional.of(1_790_000_000_000L)));
      case REVOKE_TOKEN -> json(new SecurityControl.SecurityId(named.tokenId()));
      case SET_QUOTA ->
          json(
              new SecurityControl.QuotaChange(
                  named.principal(),
                  List.of(new SecurityControl.QuotaLimit("requestsPerSecond", 1_000_000)),
                  List.of()));
    };
  }

  private static Optional<byte[]> json(Control payload) {
    return Optional.of(Json.encode(payload));
  }

  private static OperatorControl.Seek seek(Named named) {
    return new OperatorControl.Seek(
        named.table(),
        named.tunnel(),
        List.of(),
        Optional.empty(),
        Optional.of(1L),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static SkippingCheckpoint skipping(Named named) {
    Skip skip = new Skip(8, KEY, "odd");
    return new SkippingCheckpoint(named.handle(), named.epoch(), 9, Bytes.EMPTY, List.of(skip));
  }

  /** ATTACH from the beginning. */
  static Attach attach(Named named, Bytes grant) {
    return new Attach(
        named.tunnelId(),
        named.channelId(),
        named.partition(),
        ChannelType.Stream,
        named.epoch(),
        0,
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        grant);
  }

  private static PartitionControl.ReadPartition read(Named named) {
    return new PartitionControl.ReadPartition(
        named.partition(), ChannelType.Stream, 0, Bytes.EMPTY, Optional.of(1L), Optional.of(1L));
  }

  private static PartitionControl.Watch watch(Named named) {
    return new PartitionControl.Watch(
        new PartitionControl.ReadPartition(
            named.partition(),
            ChannelType.Stream,
            0,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.empty()),
        new KeyTerms(List.of(), List.of(Bytes.EMPTY), true));
  }

  private static SecurityControl.PermissionInfo permission(Named named) {
    return new SecurityControl.PermissionInfo(
        named.principal(), true, List.of("read", "write"), "table:" + named.table());
  }

  /** One row for the first partition. */
  private static byte[] write(Named named) {
    BatchBuilder builder = new BatchBuilder(named.meta().primaryKey(), 256);
    boolean unused =
        builder.add(
            new RowPutChange(KEY, List.of(new Column("taken", ColumnValue.fromBoolean(true)))));
    byte[] batch = builder.build(named.partition());
    return WriteRequest.encode(named.tableId(), Optional.empty(), batch);
  }

  private static Bytes key(Named named) {
    return KeyCodec.encode(KEY, named.meta().primaryKey());
  }
}
