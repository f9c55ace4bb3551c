/**
 * Authentication and rights of clients. {@link io.tunnel.server.net.access.Entrance} takes a
 * connection's first frames until its client is authenticated, as {@link
 * io.tunnel.server.net.access.Gate} requires; {@link io.tunnel.server.net.access.Authority} decides
 * about each later request. ADR 19 has the rules.
 */
package io.tunnel.server.net.access;
