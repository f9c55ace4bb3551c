/**
 * Channels deliver the committed changes of one partition, or its rows, to the session that holds
 * them, as long as the session gives credit: the session applies backpressure, and a channel
 * without credit reads nothing from the log. A channel lives on the event loop of its session's
 * connection; other threads call only the methods that {@link io.tunnel.server.channel.Channel}
 * allows for any thread.
 */
package io.tunnel.server.channel;
