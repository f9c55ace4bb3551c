/**
 * Writing to partitions. A shard owns the log and the rows of the partitions assigned to it and is
 * the only thread that changes them; writers and readers post to its queue.
 */
package io.tunnel.server.partition;
