/**
 * Replicas over a shared log whose records are appends of complete batches: the header of a record
 * ({@code AppendHeader}), which records count ({@code FollowCore}), what a leader may answer
 * ({@code LeadCore}), a replica of one partition ({@code SharedLane}), the replicas of a shard
 * ({@code LaneKeeper}) and of a node ({@code AppendReplicas}).
 */
package io.tunnel.server.replica.append;
