package io.tunnel.wire;

/** What an operation is about, and so which part of a server serves it. */
public enum Room {
  /** The connection itself. */
  CONNECTION,
  /** Tables: which there are, their options and partitions. */
  TABLES,
  /** Rows of a partition: written and read. */
  ROWS,
  /** Tunnels of a table, and what their operators do. */
  TUNNELS,
  /** Sessions of a tunnel: their leases, their channels, and the progress of these. */
  SESSIONS,
  /** Changes and rows on their way, of a channel or of a partition that is read. */
  DELIVERY,
  /** Partitions that are read without a tunnel. */
  READING,
  /** The nodes of a cluster. */
  CLUSTER
}
