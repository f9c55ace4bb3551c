package io.tunnel.server.replica.append;

import java.io.IOException;

/**
 * No replica of a partition can begin now: no snapshot is readable, and the log does not have all
 * changes. The message names the blocks. Another snapshot, by a leader that has the rows, or a
 * repair of the logs ends the trouble.
 */
final class UnservableException extends IOException {

  private static final long serialVersionUID = 1L;

  UnservableException(String message) {
    super(message);
  }
}
