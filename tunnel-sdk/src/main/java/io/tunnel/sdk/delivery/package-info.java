/**
 * What a server of partitions delivers, for workers and for readers alike: the connection that
 * several deliveries share. Internal to the SDK: may change in any version.
 *
 * <p>All state belongs to the one thread of its worker or reader, on which its connections speak
 * too.
 */
package io.tunnel.sdk.delivery;
