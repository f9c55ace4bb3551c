package io.tunnel.sdk;

/** The channels go on. */
public record ResumeTunnelResponse() {}
