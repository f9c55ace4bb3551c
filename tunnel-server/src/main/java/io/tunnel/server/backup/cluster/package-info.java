/**
 * Takes backups of clusters, and makes clusters of backups, over Kafka and without nodes. A backup
 * has the form of a single server's backup. The records of a partition are {@code
 * replica.append}'s, the texts of the catalog are {@code catalog}'s; here is the order of the
 * steps.
 */
package io.tunnel.server.backup.cluster;
