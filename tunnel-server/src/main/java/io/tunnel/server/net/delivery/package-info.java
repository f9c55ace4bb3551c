/**
 * What a server delivers of its partitions to who attaches, and what one connection is attached to.
 * Of a connection it knows {@link io.tunnel.server.net.delivery.Attachments.Port}.
 */
package io.tunnel.server.net.delivery;
