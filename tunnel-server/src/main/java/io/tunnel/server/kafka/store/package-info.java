/** The catalog and each group of tunnels as texts in a topic, written in transactions. */
package io.tunnel.server.kafka.store;
