/**
 * Writing rows: collected per partition, one batch under way per partition, retried and re-routed
 * without reordering the writes to a key. Internal to the SDK: may change in any version.
 *
 * <p>Locks, in the order in which they may be taken: the engine's {@code handover}, a {@code
 * Lane}'s own (per partition), {@code ByteBudget}'s. Two lanes' locks are never held together, and
 * no callback of the user runs under any.
 */
package io.tunnel.sdk.write;
