/**
 * The network: connections, frames, and the dispatch of operations to rooms. Each connection is
 * served by one event loop; nothing here waits.
 */
package io.tunnel.server.net;
