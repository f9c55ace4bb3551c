/**
 * Channels: delivering the committed changes of one partition, or its rows, to the session that
 * holds it, as long as that session gives credit. A channel lives on the event loop of its
 * session's connection and is touched by no other thread, but for what {@link
 * io.tunnel.server.channel.Channel} says any may call.
 */
package io.tunnel.server.channel;
