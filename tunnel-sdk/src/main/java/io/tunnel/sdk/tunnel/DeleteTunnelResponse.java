package io.tunnel.sdk.tunnel;

/** A tunnel was deleted. */
public record DeleteTunnelResponse() {}
