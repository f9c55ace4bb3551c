/**
 * Apache Kafka as the log that many nodes share ({@link io.tunnel.server.kafka.KafkaLog}), and as
 * the place where they meet ({@link io.tunnel.server.kafka.members.KafkaMembership}). Nothing
 * outside this room knows Kafka. {@link io.tunnel.server.kafka.KafkaCluster} is where to begin.
 *
 * <p>A table is a topic, a partition of it is a Kafka partition, a position is an offset. Kafka's
 * clients are waited for by their own threads only: everything that is asked for is a future that
 * ends within a configured bound, with an {@link io.tunnel.server.kafka.LogUnavailableException}
 * when Kafka cannot be reached.
 */
package io.tunnel.server.kafka;
