/**
 * A throttle: a rate limit for the bytes a second that all channels that lag far may deliver
 * together while clients write. {@link io.tunnel.server.channel.ration.Rations} adapts the rate to
 * the waits of writes; {@link io.tunnel.server.channel.ration.Ration} is one channel's part.
 */
package io.tunnel.server.channel.ration;
