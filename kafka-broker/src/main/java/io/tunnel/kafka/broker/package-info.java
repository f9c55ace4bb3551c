/**
 * A real Apache Kafka broker in a JVM of its own, for tests and demonstrations: {@link
 * io.tunnel.kafka.broker.KafkaBroker} starts, stops, kills and suspends it. Nothing of Kafka comes
 * to the class path of the program that starts one.
 */
package io.tunnel.kafka.broker;
