/**
 * What crosses a connection: frames, the operations they carry, and the payloads of each, drawn in
 * {@code docs/protocol.md}. Operations on the hot path are binary; control operations carry JSON
 * made of the records of {@link io.tunnel.wire.control}.
 */
package io.tunnel.wire;
