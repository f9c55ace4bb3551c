/**
 * Apache ZooKeeper as a peer of {@code tunnel bench seeds}: servers and the load are child JVMs
 * with libraries of their own. {@link io.tunnel.zookeeper.ZooKeeperPeer} starts them.
 */
package io.tunnel.zookeeper;
