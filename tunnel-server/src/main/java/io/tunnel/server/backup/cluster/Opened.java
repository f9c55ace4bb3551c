package io.tunnel.server.backup.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What was opened, and is closed together: the last opened first. For one thread. */
final class Opened<T extends Closeable> implements Closeable {

  private final Deque<T> opened = new ArrayDeque<>();

  /** Closes {@code one} at the end. */
  void add(T one) {
    opened.add(one);
  }

  /** All in the order in which they were opened. */
  List<T> all() {
    return new ArrayList<>(opened);
  }

  /** Closes all, also after a failure, and throws the last failure. */
  @Override
  public void close() throws IOException {
    T last = opened.pollLast();
    if (last != null) {
      try (this) {
        last.close();
      }
    }
  }
}
