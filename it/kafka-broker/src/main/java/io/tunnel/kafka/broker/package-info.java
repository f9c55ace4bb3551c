/**
 * A real Apache Kafka broker in a JVM of its own, for tests and demonstrations: {@link
 * io.tunnel.kafka.broker.KafkaBroker} starts, stops, kills and suspends it. The class path of the
 * starting program stays free of Kafka. {@link io.tunnel.kafka.broker.TopicTables} is the port to a
 * program that keeps topics as tables, for benchmarks.
 */
package io.tunnel.kafka.broker;
