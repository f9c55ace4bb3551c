/** The server, which keeps tables, their logs and the progress of their tunnels. */
package io.tunnel.server;
