package io.tunnel.sdk.testing;

import io.tunnel.wire.control.SessionControl.OpenSession;

/** A worker's leased connection to a tunnel. */
record MemorySession(String id, MemoryTunnel tunnel, OpenSession request, Peer peer) {}
