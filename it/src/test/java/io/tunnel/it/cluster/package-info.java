/** Nodes that share a broker: what they take over, move, drain and survive. */
package io.tunnel.it.cluster;
