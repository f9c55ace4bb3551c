/**
 * Keys and batches as bytes. A change is encoded once, by its writer, and these bytes travel
 * unchanged through the log to the reader that looks at them; {@code docs/protocol.md} draws them.
 *
 * <p>Everything here is pure. Decoders are total: any input gives a value or a {@link
 * io.tunnel.codec.MalformedException}.
 */
package io.tunnel.codec;
