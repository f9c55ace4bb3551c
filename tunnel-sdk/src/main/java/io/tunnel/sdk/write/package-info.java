/**
 * Writing rows: collected per partition, one batch in flight per partition, retried and re-routed
 * without reordering the writes to a key. Internal to the SDK: may change in any version.
 *
 * <p>Locks, in the order to take them: the engine's {@code handover}, a {@code Lane}'s own (per
 * partition), {@code ByteBudget}'s. No thread holds the locks of two lanes, and no callback of the
 * user runs under a lock.
 */
package io.tunnel.sdk.write;
