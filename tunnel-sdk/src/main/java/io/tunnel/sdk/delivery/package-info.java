/**
 * How partitions are delivered, to workers and to readers alike: the life of one delivery from
 * server to server, and the connections that several deliveries share. Internal to the SDK: may
 * change in any version.
 *
 * <p>All state belongs to the one thread of its worker or reader, on which its connections speak
 * too.
 */
package io.tunnel.sdk.delivery;
