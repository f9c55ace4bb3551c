package io.tunnel.it.sim.cluster;

/** What a record of the log of a simulated cluster is. */
enum ClusterForm {
  ROWS,
  APPENDS
}
