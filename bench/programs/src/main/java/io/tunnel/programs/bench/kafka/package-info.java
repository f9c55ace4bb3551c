/**
 * Apache Kafka as a {@link io.tunnel.programs.bench.peer.Peer}: topics for tables, producers for
 * writers, a consumer for a worker. The one package of the tools that knows Kafka's clients.
 */
package io.tunnel.programs.bench.kafka;
