/** What a server, a cluster and the kit for tests all keep to: the same tests over each of them. */
package io.tunnel.it.contract;
