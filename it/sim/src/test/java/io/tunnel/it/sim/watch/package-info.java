/** Somebody who watches keys by the SDK's own watch, in the world of a server or of a cluster. */
package io.tunnel.it.sim.watch;
