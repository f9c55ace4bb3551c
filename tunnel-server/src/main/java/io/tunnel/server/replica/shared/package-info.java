/**
 * The log that nodes share, as their replicas know it: the port ({@link
 * io.tunnel.server.replica.shared.SharedLog}), the bytes of its records ({@link
 * io.tunnel.server.replica.shared.RecordCodec}), what each record means and who leads ({@link
 * io.tunnel.server.replica.shared.ReplicaCore}), and what is known of its end ({@link
 * io.tunnel.server.replica.shared.ReplicaEnds}).
 */
package io.tunnel.server.replica.shared;
