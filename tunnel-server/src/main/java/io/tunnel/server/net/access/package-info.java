/**
 * Who is let in, and what they may ask for. {@link io.tunnel.server.net.access.Entrance} takes a
 * connection's first frames until its client has said who it is, as {@link
 * io.tunnel.server.net.access.Gate} wants it; {@link io.tunnel.server.net.access.Authority} decides
 * of each request from then on. What is decided follows ADR 19.
 */
package io.tunnel.server.net.access;
