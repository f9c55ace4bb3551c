/**
 * Watches: changes of chosen keys of a partition. One hub for each partition reads the log once for
 * all of its watches, and looks each change up in an index. Credit of the client is the
 * backpressure: a watch without credit leaves the live pass, and reads the log later.
 */
package io.tunnel.server.channel.watch;
