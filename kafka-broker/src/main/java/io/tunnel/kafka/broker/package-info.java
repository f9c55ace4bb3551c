/**
 * A real Apache Kafka broker in a JVM of its own, for tests and demonstrations: {@link
 * io.tunnel.kafka.broker.KafkaBroker} starts, stops, kills and suspends it. Nothing of Kafka comes
 * to the class path of the program that starts one. {@link io.tunnel.kafka.broker.TopicTables} is
 * the port to what keeps topics as tables, and is there for benchmarks.
 */
package io.tunnel.kafka.broker;
