/**
 * The encoding of keys and batches. The writer encodes a change once, and the bytes travel
 * unchanged through the log to the reader; {@code docs/reference/protocol.md} draws the layout.
 *
 * <p>Everything here is pure. Decoders are total: every input gives a value or a {@link
 * io.tunnel.codec.MalformedException}.
 */
package io.tunnel.codec;
