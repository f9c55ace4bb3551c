package io.tunnel.sdk.tunnel;

/** The channels are paused; the service has asked the sessions to give the channels back. */
public record PauseTunnelResponse() {}
