package io.tunnel.sdk;

/** The session is over. */
public record EndSessionResponse() {}
