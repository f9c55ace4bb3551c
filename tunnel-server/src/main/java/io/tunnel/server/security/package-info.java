/**
 * Who may do what, and how much of it: principals, their keys and tokens, the rights that they have
 * on tables, tunnels and the cluster, and their quotas. {@link
 * io.tunnel.server.security.SecurityRecords} makes an immutable {@link
 * io.tunnel.server.security.SecuritySnapshot} of the catalog's texts with each change; any thread
 * reads it. Nothing here knows a network, a clock or a disk.
 *
 * <p>A text that cannot be read closes and never opens: what it may have allowed is not allowed,
 * and what it may have denied is denied, to everybody whom it may have been about. {@link
 * io.tunnel.server.security.SecurityRecords} says how.
 */
package io.tunnel.server.security;
