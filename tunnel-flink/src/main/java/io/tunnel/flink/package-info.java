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
 * <p>This package has their common types: {@link io.tunnel.flink.TunnelOptions} names a table of a
 * service. {@code sink} and {@code source} do not depend on each other; {@code table} uses both.
 */
package io.tunnel.flink;
