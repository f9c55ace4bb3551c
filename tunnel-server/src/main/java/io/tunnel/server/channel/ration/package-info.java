/**
 * The ration: how many bytes a second all channels that are far behind may deliver together, while
 * others write. {@link io.tunnel.server.channel.ration.Rations} knows how long writes wait and
 * gives it out; {@link io.tunnel.server.channel.ration.Ration} is one channel's part of it.
 */
package io.tunnel.server.channel.ration;
