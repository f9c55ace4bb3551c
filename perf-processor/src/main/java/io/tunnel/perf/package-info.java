/** Consumes a tunnel and reports the rate and the latency at which its changes arrive. */
package io.tunnel.perf;
