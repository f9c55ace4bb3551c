package io.tunnel.sdk.tunnel;

/** The channels go on. */
public record ResumeTunnelResponse() {}
