/**
 * Channels: delivering the committed changes of one partition to the session that holds it, as long
 * as that session gives credit. A channel lives on the event loop of its session's connection and
 * is touched by no other thread.
 */
package io.tunnel.server.channel;
