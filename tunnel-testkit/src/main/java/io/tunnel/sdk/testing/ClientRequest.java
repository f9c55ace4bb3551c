package io.tunnel.sdk.testing;

import io.tunnel.wire.Operation;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The requests of clients, for tests that have a request {@linkplain
 * InMemoryTunnelService#refuseNext refused} or {@linkplain InMemoryTunnelService#delay delayed}.
 */
public enum ClientRequest {
  /** Pings the server. */
  ECHO(Operation.ECHO),
  /** Creates a table. */
  CREATE_TABLE(Operation.CREATE_TABLE),
  /** Describes a table with its figures. */
  DESCRIBE_TABLE(Operation.DESCRIBE_TABLE),
  /**
   * Describes a table without figures; sent by writers and readers once, and again after a
   * partition has moved.
   */
  PARTITION_MAP(Operation.PARTITION_MAP),
  /** Lists tables. */
  LIST_TABLES(Operation.LIST_TABLES),
  /** Changes the options of a table. */
  ALTER_TABLE(Operation.ALTER_TABLE),
  /** Drops a table. */
  DROP_TABLE(Operation.DROP_TABLE),
  /** Writes a batch of rows to a partition. */
  WRITE(Operation.WRITE),
  /** Reads a row. */
  GET_ROW(Operation.GET_ROW),
  /** Reads rows by their keys. */
  GET_ROWS(Operation.GET_ROWS),
  /** Dates the id of a writer that numbers its batches. */
  OPEN_WRITER(Operation.OPEN_WRITER),
  /** Opens a session for bound rows. */
  OPEN_ROW_SESSION(Operation.OPEN_ROW_SESSION),
  /** Renews the lease of a session for bound rows. */
  RENEW_ROW_SESSION(Operation.RENEW_ROW_SESSION),
  /** Closes a session for bound rows. */
  CLOSE_ROW_SESSION(Operation.CLOSE_ROW_SESSION),
  /** Lists the sessions for bound rows of all clients. */
  LIST_ROW_SESSIONS(Operation.LIST_ROW_SESSIONS),
  /** Ends the session for bound rows of any client. */
  END_ROW_SESSION(Operation.END_ROW_SESSION),
  /** Reads a page of rows. */
  GET_RANGE(Operation.GET_RANGE),
  /** Creates a tunnel. */
  CREATE_TUNNEL(Operation.CREATE_TUNNEL),
  /** Describes a tunnel. */
  DESCRIBE_TUNNEL(Operation.DESCRIBE_TUNNEL),
  /** Lists tunnels. */
  LIST_TUNNELS(Operation.LIST_TUNNELS),
  /** Deletes a tunnel. */
  DELETE_TUNNEL(Operation.DELETE_TUNNEL),
  /** Pauses a tunnel or channels. */
  PAUSE(Operation.PAUSE),
  /** Resumes a tunnel or channels. */
  RESUME(Operation.RESUME),
  /** Moves the progress of a tunnel; also sent for an import. */
  SEEK(Operation.SEEK),
  /** Exports the progress of a tunnel. */
  EXPORT_CHECKPOINTS(Operation.EXPORT_CHECKPOINTS),
  /** Ends the session of a worker, for an operator. */
  END_SESSION(Operation.END_SESSION),
  /** Opens the session of a worker. */
  OPEN_SESSION(Operation.OPEN_SESSION),
  /** Closes the session of a worker, for itself. */
  CLOSE_SESSION(Operation.CLOSE_SESSION),
  /** Renews the lease of a session. */
  HEARTBEAT(Operation.HEARTBEAT),
  /** Stores the progress of a channel, also past skipped changes. */
  CHECKPOINT(Operation.CHECKPOINT),
  /** Gives a channel back. */
  RELEASE(Operation.RELEASE),
  /** Stops a channel until an operator resumes it. */
  STOP_CHANNEL(Operation.STOP_CHANNEL),
  /** Starts the delivery of a channel, at the leader of its partition. */
  ATTACH(Operation.ATTACH),
  /** Ends the delivery of a channel. */
  DETACH(Operation.DETACH),
  /** Starts to read a partition without a tunnel. */
  READ_PARTITION(Operation.READ_PARTITION),
  /** Starts to watch keys of a partition. */
  WATCH(Operation.WATCH),
  /** Asks for the first and last positions of partitions. */
  FIND_POSITIONS(Operation.FIND_POSITIONS),
  /** Describes a cluster, which this service is not. */
  DESCRIBE_CLUSTER(Operation.DESCRIBE_CLUSTER),
  /** Describes a node of a cluster. */
  DESCRIBE_NODE(Operation.DESCRIBE_NODE),
  /** Empties a node of a cluster. */
  DRAIN_NODE(Operation.DRAIN_NODE),
  /** Looks at the level of a cluster, or raises it. */
  UPGRADE(Operation.UPGRADE);

  private static final Map<Operation, ClientRequest> BY_OPERATION = new EnumMap<>(Operation.class);

  static {
    for (ClientRequest request : values()) {
      BY_OPERATION.put(request.operation, request);
    }
    BY_OPERATION.put(Operation.CHECKPOINT_SKIPPING, CHECKPOINT);
  }

  private final Operation operation;

  ClientRequest(Operation operation) {
    this.operation = operation;
  }

  /** The request of an operation; absent for an operation without an answer. */
  static Optional<ClientRequest> of(Operation operation) {
    return Optional.ofNullable(BY_OPERATION.get(operation));
  }
}
