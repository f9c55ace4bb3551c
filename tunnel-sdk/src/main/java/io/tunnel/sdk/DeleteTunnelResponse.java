package io.tunnel.sdk;

/** A tunnel was deleted. */
public record DeleteTunnelResponse() {}
