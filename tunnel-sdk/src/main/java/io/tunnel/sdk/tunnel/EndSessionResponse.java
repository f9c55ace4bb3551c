package io.tunnel.sdk.tunnel;

/** The session is over. */
public record EndSessionResponse() {}
