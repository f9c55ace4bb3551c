/**
 * Tables as {@link io.tunnel.sdk.TableClient} describes them: partitions, figures of their storage,
 * and positions to read changes from.
 */
package io.tunnel.sdk.table;
