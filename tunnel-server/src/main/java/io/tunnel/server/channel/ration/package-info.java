/**
 * The ration bounds the bytes a second that all channels far behind may deliver together while
 * clients write. {@link io.tunnel.server.channel.ration.Rations} adapts the ration to the waits of
 * writes; {@link io.tunnel.server.channel.ration.Ration} is one channel's part.
 */
package io.tunnel.server.channel.ration;
