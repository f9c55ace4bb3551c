/**
 * Apache Kafka as a {@link io.tunnel.cli.bench.peer.Peer}: topics for tables, producers for
 * writers, a consumer for a worker. The one package of the tools that knows Kafka's clients.
 */
package io.tunnel.cli.bench.kafka;
