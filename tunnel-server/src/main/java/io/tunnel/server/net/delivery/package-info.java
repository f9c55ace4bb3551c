/**
 * Deliveries from a server's partitions to attached clients, and the attachments of one connection.
 * It sees a connection as {@link io.tunnel.server.net.delivery.Attachments.Port}.
 */
package io.tunnel.server.net.delivery;
