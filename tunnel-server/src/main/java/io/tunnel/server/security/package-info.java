/**
 * Authentication, rights and quotas: principals, their keys and tokens, their rights on tables,
 * tunnels and the cluster, and their quotas (rate limits and counts). {@link
 * io.tunnel.server.security.SecurityRecords} makes an immutable {@link
 * io.tunnel.server.security.SecuritySnapshot} of the catalog's texts with each change; any thread
 * reads it. This package uses no network, clock or disk.
 *
 * <p>A text that cannot be read takes rights away and never gives any: rights that it may have
 * allowed are not allowed, and rights that it may have denied are denied, to all its possible
 * subjects. {@link io.tunnel.server.security.SecurityRecords} has the rules.
 */
package io.tunnel.server.security;
