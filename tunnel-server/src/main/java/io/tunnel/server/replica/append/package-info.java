/**
 * A shared log whose records are appends of complete batches: the header of a record ({@code
 * AppendHeader}), which records count ({@code FollowCore}), and what a leader may answer ({@code
 * LeadCore}). Only the rule and its proof are here; the replicas still use the records of {@link
 * io.tunnel.server.replica.shared}.
 */
package io.tunnel.server.replica.append;
