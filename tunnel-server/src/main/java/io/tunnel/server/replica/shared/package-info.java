/**
 * The replicas' view of the shared log: the port ({@link
 * io.tunnel.server.replica.shared.SharedLog}), the bytes of its records ({@link
 * io.tunnel.server.replica.shared.RecordCodec}), the meaning of records and the choice of the
 * leader ({@link io.tunnel.server.replica.shared.ReplicaCore}), and the known end of the log
 * ({@link io.tunnel.server.replica.shared.ReplicaEnds}).
 */
package io.tunnel.server.replica.shared;
