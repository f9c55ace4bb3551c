/**
 * Which rows of a write may be applied: {@link io.tunnel.server.partition.judge.ConditionCore}
 * evaluates them against the rows that are stored, and {@link
 * io.tunnel.server.partition.judge.RowBounds} knows when no look at these is needed.
 */
package io.tunnel.server.partition.judge;
