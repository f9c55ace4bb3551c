/**
 * The decisions about the channels of a tunnel, which the server and the SDK's test kit share:
 * {@link io.tunnel.core.TunnelCore} says which session holds which channel, and how far each
 * channel has come. It has no clock, thread or store: its caller passes the time, stores the {@link
 * io.tunnel.core.ChannelState} of each {@link io.tunnel.core.ChannelKey}, and carries out each
 * {@link io.tunnel.core.TunnelEffect}.
 *
 * <p>Not for users of the SDK: the module exports this package to the SDK alone.
 */
package io.tunnel.core;
