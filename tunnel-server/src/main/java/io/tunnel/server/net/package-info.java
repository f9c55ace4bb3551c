/**
 * The network: connections, frames in and out, and which room each operation goes to. Each
 * connection is served by one event loop; nothing here waits.
 */
package io.tunnel.server.net;
