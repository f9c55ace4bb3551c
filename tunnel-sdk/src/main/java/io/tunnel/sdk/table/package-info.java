/**
 * Tables as {@link io.tunnel.sdk.TableClient} describes them: their partitions, what is stored in
 * each, and from which positions its changes can be read.
 */
package io.tunnel.sdk.table;
