/**
 * A shared log whose records are appends of complete batches: the header of a record ({@link
 * io.tunnel.server.replica.append.AppendHeader}), which records count ({@link
 * io.tunnel.server.replica.append.FollowCore}), and what a leader may answer ({@link
 * io.tunnel.server.replica.append.LeadCore}). Only the rule and its proof are here; the replicas
 * still use the records of {@link io.tunnel.server.replica.shared}.
 */
package io.tunnel.server.replica.append;
