/**
 * Rows that are read: single ones and ranges as they are now, those of a new tunnel as they were
 * when it began, and at which position a reader without a tunnel has them. One asker cannot keep
 * the others waiting ({@link io.tunnel.server.partition.read.FairReads}).
 */
package io.tunnel.server.partition.read;
