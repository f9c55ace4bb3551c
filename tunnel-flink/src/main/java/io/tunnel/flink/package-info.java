/**
 * Tables of this service in Apache Flink.
 *
 * <ul>
 *   <li>{@link io.tunnel.flink.source}: rows and changes of a table as a Flink source; Flink's
 *       state owns the positions.
 *   <li>{@link io.tunnel.flink.sink}: rows of a job into a table.
 *   <li>{@link io.tunnel.flink.table}: both for the Table API and SQL, and a catalog.
 * </ul>
 *
 * <p>What they share is here: {@link io.tunnel.flink.TunnelOptions} says which table of which
 * service is meant. {@code sink} and {@code source} do not know each other, and {@code table}
 * stands on both.
 */
package io.tunnel.flink;
