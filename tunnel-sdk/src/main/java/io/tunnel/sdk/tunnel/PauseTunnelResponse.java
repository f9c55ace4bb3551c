package io.tunnel.sdk.tunnel;

/** The channels are paused; their holders have been told to give them back. */
public record PauseTunnelResponse() {}
