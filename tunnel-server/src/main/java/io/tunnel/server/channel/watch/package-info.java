/**
 * Watches: changes of chosen keys of a partition. One hub for each partition reads the log once for
 * all of its watches, and looks each change up in an index.
 */
package io.tunnel.server.channel.watch;
