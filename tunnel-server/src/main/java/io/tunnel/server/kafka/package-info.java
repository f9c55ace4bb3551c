/**
 * Apache Kafka as the shared log ({@link io.tunnel.server.kafka.KafkaLog}) and as the group of all
 * nodes ({@link io.tunnel.server.kafka.members.KafkaMembership}). No other package uses Kafka's
 * API. Start reading at {@link io.tunnel.server.kafka.KafkaCluster}.
 *
 * <p>A table is a topic, a partition of it is a Kafka partition, a position is an offset. Only
 * threads of Kafka's clients block: every request returns a future that ends within a configured
 * time, with an {@link io.tunnel.server.kafka.LogUnavailableException} when Kafka cannot be
 * reached.
 */
package io.tunnel.server.kafka;
