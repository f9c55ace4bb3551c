/**
 * Which grants match a name: {@link io.tunnel.server.security.index.PermissionIndex} is the way in
 * (ADR 25), and all else here is how it is built. {@link
 * io.tunnel.server.security.index.PersistentMap}, of which it is made too, also holds the records.
 */
package io.tunnel.server.security.index;
