/**
 * Makes a cluster of a backup. The records of a restored partition are {@code replica.append}'s,
 * the texts of the catalog are {@code catalog}'s; here is the order of the steps, over Kafka.
 */
package io.tunnel.server.restore;
