/**
 * The bytes of a connection: frames, operations, and their payloads, drawn in {@code
 * docs/reference/protocol.md}. Operations on the hot path are binary; control operations carry
 * records of {@link io.tunnel.wire.control} as JSON.
 */
package io.tunnel.wire;
