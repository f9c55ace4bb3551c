/**
 * Apache Kafka as the shared log ({@code KafkaAppends}), as the log of blocks of snapshots ({@code
 * KafkaBlocks}), and as the group of all nodes ({@link
 * io.tunnel.server.kafka.members.KafkaMembership}). No other package uses Kafka's API. Start
 * reading at {@link io.tunnel.server.kafka.KafkaCluster}.
 *
 * <p>A table has a topic of appends and a topic of blocks; a partition of the table is a partition
 * of both. An offset places an append, and the header of the append has its first position. Only
 * threads of Kafka's clients block: every request returns a future that ends within a configured
 * time, with an {@link io.tunnel.server.kafka.LogUnavailableException} when Kafka cannot be
 * reached.
 */
package io.tunnel.server.kafka;
