package io.tunnel.server.channel.watch;

import io.tunnel.server.channel.watch.HubCore.Scanned;

/**
 * What a hub has for a watch: changes, or only how far it has looked.
 *
 * @param batches batches of one row each, joined; empty for a mark
 * @param rows how many there are
 * @param first position of the first change; in a mark, of nothing
 * @param upTo the watch has everything up to here with the page
 * @param scanned what was read for the watch alone
 */
@SuppressWarnings("ArrayRecordComponent") // The hot path: the array goes to the connection as is.
record WatchPage(byte[] batches, int rows, long first, long upTo, Scanned scanned) {

  private static final byte[] NONE = {};

  /** The watch has everything up to {@code position}. */
  static WatchPage mark(long position, Scanned scanned) {
    return new WatchPage(NONE, 0, position, position, scanned);
  }

  boolean isMark() {
    return rows == 0;
  }
}
