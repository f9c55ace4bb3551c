/**
 * Changes behind the local log: read again from the shared one, in pages ({@link
 * io.tunnel.server.replica.history.History}), by what a replica remembers of the part that it has
 * read ({@link io.tunnel.server.replica.history.EpochHistory}, {@link
 * io.tunnel.server.replica.history.LeaderEpochs}).
 */
package io.tunnel.server.replica.history;
