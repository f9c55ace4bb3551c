package io.tunnel.server.net.access;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.ClusterControl.Attach;
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

/**
 * Decides whether a caller may make a request, by the resource that the request names, before the
 * rest is decoded. The switch has no default, so a new operation does not compile before it has a
 * case. For any thread.
 */
public final class Authority {

  private final Catalog catalog;

  /** Decides about the tables of a catalog. */
  public Authority(Catalog catalog) {
    this.catalog = catalog;
  }

  /**
   * Refuses a request that the caller may not make.
   *
   * @throws RefusedException NOT_PERMITTED; TABLE_NOT_FOUND or TUNNEL_NOT_FOUND where the caller
   *     may not see the resource
   */
  public void require(Operation operation, byte[] payload, Caller caller) {
    if (caller.mayDoEverything()) {
      return;
    }
    if (caller.isNode() && operation != Operation.LOOK) {
      throw new RefusedException(
          ErrorCode.NOT_PERMITTED,
          "a node asks by LOOK on this connection, not by " + operation + "; authenticate first");
    }
    Right right = operation.right();
    if (LongRequest.is(operation, payload)) {
      requireByBeginning(operation, payload, caller);
    }
    switch (operation) {
      case CREATE_TABLE -> create(Json.decode(payload, CreateTable.class).meta().name(), caller);
      case ALTER_TABLE -> table(right, Json.decode(payload, AlterTable.class).table(), caller);
      case DESCRIBE_TABLE, DROP_TABLE, PARTITION_MAP ->
          table(right, Json.decode(payload, TableName.class).table(), caller);
      case FIND_POSITIONS ->
          table(right, Json.decode(payload, FindPositions.class).table(), caller);
      case WRITE, OPEN_WRITER, GET_ROW, GET_ROWS, GET_RANGE -> tableId(right, payload, caller);
      case READ_PARTITION ->
          partition(right, Json.decode(payload, ReadPartition.class).partition(), caller);
      case WATCH -> partition(right, Json.decode(payload, Watch.class).read().partition(), caller);

      case LIST_TUNNELS -> {
        if (payload.length > 0) {
          table(Right.SEE, Json.decode(payload, TableName.class).table(), caller);
        }
      }
      case CREATE_TUNNEL -> {
        CreateTunnel request = Json.decode(payload, CreateTunnel.class);
        tunnel(right, request.table(), request.tunnel(), caller);
      }
      case DESCRIBE_TUNNEL, DELETE_TUNNEL, EXPORT_CHECKPOINTS -> {
        TunnelName name = Json.decode(payload, TunnelName.class);
        tunnel(right, name.table(), name.tunnel(), caller);
      }
      case SEEK -> {
        Seek request = Json.decode(payload, Seek.class);
        tunnel(right, request.table(), request.tunnel(), caller);
      }
      case PAUSE, RESUME -> {
        ChannelSelection request = Json.decode(payload, ChannelSelection.class);
        tunnel(right, request.table(), request.tunnel(), caller);
      }
      case END_SESSION -> {
        EndSession request = Json.decode(payload, EndSession.class);
        tunnel(right, request.table(), request.tunnel(), caller);
      }
      case ATTACH -> {
        Attach request = Json.decode(payload, Attach.class);
        requireGrant(request, partition(Right.SEE, request.partition(), caller), caller);
      }

      case OPEN_ROW_SESSION, RENEW_ROW_SESSION -> onSomeTable(right, caller);

      case DRAIN_NODE,
          UPGRADE,
          LIST_ROW_SESSIONS,
          END_ROW_SESSION,
          CREATE_KEY,
          LIST_KEYS,
          REVOKE_KEY,
          ROTATE_KEY,
          GRANT,
          WITHDRAW,
          LIST_PERMISSIONS,
          CHANGE_GROUP,
          LIST_GROUPS,
          CREATE_TOKEN,
          LIST_TOKENS,
          REVOKE_TOKEN,
          SET_QUOTA,
          LIST_QUOTAS ->
          caller.requireOnCluster(right);

      case LIST_TABLES, OPEN_SESSION -> {
        // Lists are filtered later, and a tunnel named by id is judged where it is found.
      }
      case HELLO,
          AUTHENTICATE,
          ECHO,
          WHO_AM_I,
          DESCRIBE_CLUSTER,
          DESCRIBE_NODE,
          CLOSE_ROW_SESSION,
          CLOSE_SESSION,
          HEARTBEAT,
          RELEASE,
          CREDIT,
          CHECKPOINT,
          CHECKPOINT_SKIPPING,
          STOP_CHANNEL,
          DETACH,
          LIMIT,
          RENEW -> {
        // About the connection's own sessions and channels, or allowed to every authenticated
        // caller.
      }
      case LOOK -> {
        // The seal of the request decides, where the request is served.
      }
      case ASSIGN, REVOKE, DELIVER, END_OF_CHANNEL, FENCE, SESSION_END, SETTLED -> {
        // Not a request: refused later.
      }
    }
  }

  /** Refuses a caller who does not have the right on any table. */
  private void onSomeTable(Right right, Caller caller) {
    if (!caller.mayOnSome(right, catalog)) {
      throw caller.notPermitted(right, "any table");
    }
  }

  private static void requireByBeginning(Operation operation, byte[] payload, Caller caller) {
    if (operation == Operation.CREATE_TABLE) {
      create(LongRequest.member(payload, "meta", "name"), caller);
    } else {
      tunnel(
          operation.right(),
          LongRequest.member(payload, "table"),
          LongRequest.member(payload, "tunnel"),
          caller);
    }
  }

  private static void create(String table, Caller caller) {
    if (!caller.may(Right.CREATE, table)) {
      throw caller.notPermitted(Right.CREATE, "table " + table);
    }
  }

  /**
   * Refuses a caller who does not have the right on a table.
   *
   * @throws RefusedException NOT_PERMITTED, or TABLE_NOT_FOUND where the caller may not see it
   */
  public static void table(Right right, String table, Caller caller) {
    if (!caller.sees(table)) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table '" + table + "'");
    }
    if (right != Right.SEE && !caller.may(right, table)) {
      throw caller.notPermitted(right, "table " + table);
    }
  }

  /**
   * The options of a table after a change. A shorter time to live deletes rows and a shorter
   * retention deletes changes, which a caller may do who may delete rows.
   *
   * @throws RefusedException NOT_PERMITTED without ALTER, or when the change shortens and the
   *     caller may not write
   */
  public static TableOptions altered(
      String table, TableOptions before, OptionsChange change, Caller caller) {
    table(Right.ALTER, table, caller);
    TableOptions after = change.over(before);
    if (after.keepsLessThan(before)) {
      table(Right.WRITE, table, caller);
    }
    return after;
  }

  private static void tunnel(Right right, String table, String tunnel, Caller caller) {
    if (!caller.sees(table) && right != Right.CREATE) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table '" + table + "'");
    }
    caller.require(right, table, tunnel);
  }

  /** The payload begins with the table's id. */
  private void tableId(Right right, byte[] payload, Caller caller) {
    if (payload.length < Integer.BYTES) {
      throw new MalformedException("a request of " + payload.length + " bytes is cut off");
    }
    int id = Binary.getInt(payload, 0);
    String table = catalog.table(id).meta().name();
    if (!caller.sees(table)) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table with id " + id);
    }
    table(right, table, caller);
  }

  /** Returns the name of the partition's table. */
  private String partition(Right right, int partition, Caller caller) {
    String table = catalog.tableOfPartition(partition).meta().name();
    if (!caller.sees(table)) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no partition " + partition);
    }
    table(right, table, caller);
    return table;
  }

  /**
   * Judges the tunnel that the grant names, which this node may not know. Whether the grant is the
   * channel's is verified where the channel is delivered.
   */
  private static void requireGrant(Attach request, String table, Caller caller) {
    String tunnel =
        ChannelGrants.tunnelOf(request.grant())
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.NOT_PERMITTED,
                        "channel "
                            + request.channelId()
                            + " needs a grant of its session's server; attach with the grant of"
                            + " the assignment"));
    caller.require(Right.CONSUME, table, tunnel);
  }
}
