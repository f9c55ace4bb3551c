/** Who is let in by simulated servers. */
package io.tunnel.server.net.access;
