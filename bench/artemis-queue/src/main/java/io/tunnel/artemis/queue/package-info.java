/**
 * Apache ActiveMQ Artemis as a peer of {@code tunnel bench seeds}: the broker and the load are
 * child JVMs with libraries of their own. {@link io.tunnel.artemis.queue.ArtemisPeer} starts them.
 */
package io.tunnel.artemis.queue;
