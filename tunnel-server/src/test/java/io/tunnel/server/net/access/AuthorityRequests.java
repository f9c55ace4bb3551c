package io.tunnel.server.net.access;

import io.tunnel.codec.Binary;
import io.tunnel.model.ChannelType;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A request for each operation that names a table, a tunnel or another thing.
 *
 * @param table the name of a table
 * @param tunnel the name of a tunnel of it
 * @param id of the table, and of a partition of it
 */
record AuthorityRequests(String table, String tunnel, int id) {

  /** The payload; of an operation that names nothing, an empty one. */
  byte[] payload(Operation operation) {
    if (Set.of(
            Operation.WRITE,
            Operation.OPEN_WRITER,
            Operation.GET_ROW,
            Operation.GET_ROWS,
            Operation.GET_RANGE)
        .contains(operation)) {
      byte[] payload = new byte[20];
      Binary.putInt(payload, 0, id);
      return payload;
    }
    Control request = requests().get(operation);
    return request == null ? new byte[0] : Json.encode(request);
  }

  private Map<Operation, Control> requests() {
    Map<Operation, Control> all = new EnumMap<>(Operation.class);
    all.put(
        Operation.CREATE_TABLE, new CreateTable(new TableMeta(table, TestRows.SCHEMA), List.of()));
    all.put(
        Operation.ALTER_TABLE,
        new AlterTable(table, new OptionsChange().withRetention(Duration.ZERO)));
    all.put(Operation.FIND_POSITIONS, new FindPositions(table, Optional.empty()));
    all.put(
        Operation.READ_PARTITION,
        new ReadPartition(
            id, ChannelType.Stream, 0, Bytes.EMPTY, Optional.empty(), Optional.empty()));
    all.put(
        Operation.WATCH,
        new Watch(
            new ReadPartition(
                id, ChannelType.Stream, 0, Bytes.EMPTY, Optional.empty(), Optional.empty()),
            new KeyTerms(List.of(), List.of(Bytes.EMPTY), false)));
    all.put(Operation.ATTACH, attach().withGrant(grant()));
    all.put(
        Operation.CREATE_TUNNEL,
        new CreateTunnel(table, tunnel, TunnelType.Stream, StreamStart.EARLIEST));
    all.put(Operation.PAUSE, new ChannelSelection(table, tunnel, List.of()));
    all.put(Operation.RESUME, new ChannelSelection(table, tunnel, List.of()));
    all.put(Operation.END_SESSION, new EndSession(table, tunnel, "s"));
    all.put(
        Operation.SEEK,
        new Seek(
            table,
            tunnel,
            List.of(),
            Optional.of(StreamStart.EARLIEST),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false));
    for (Operation operation :
        List.of(
            Operation.DESCRIBE_TABLE,
            Operation.DROP_TABLE,
            Operation.PARTITION_MAP,
            Operation.LIST_TUNNELS)) {
      all.put(operation, new TableName(table));
    }
    for (Operation operation :
        List.of(Operation.DESCRIBE_TUNNEL, Operation.DELETE_TUNNEL, Operation.EXPORT_CHECKPOINTS)) {
      all.put(operation, new TunnelName(table, tunnel));
    }
    return all;
  }

  /** A grant that names the tunnel. */
  private Bytes grant() {
    ChannelGrants grants = ChannelGrants.of(Bytes.fromHex("52"));
    return grants.of(
        new ChannelGrants.Granted(id + "_t", id, 1, "bob"),
        new ChannelGrants.Terms(tunnel, 0, Optional.empty(), Optional.empty(), 0, 1_000));
  }

  /** A request to attach without a grant. */
  Attach attach() {
    return new Attach(
        "t",
        id + "_t",
        id,
        ChannelType.Stream,
        1,
        0,
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        Bytes.EMPTY);
  }
}
