/** What the nodes of a cluster cost, and how long it stands still when one of them goes. */
package io.tunnel.bench.cluster;
