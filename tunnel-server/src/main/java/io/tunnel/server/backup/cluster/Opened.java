package io.tunnel.server.backup.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Open resources with one close, the last opened resource first. For one thread. */
final class Opened<T extends Closeable> implements Closeable {

  private final Deque<T> opened = new ArrayDeque<>();

  /** Adds a resource. */
  void add(T one) {
    opened.add(one);
  }

  /** All resources, the first opened first. */
  List<T> all() {
    return new ArrayList<>(opened);
  }

  /** Closes all, also after a failure, and throws the last failure. */
  @Override
  public void close() throws IOException {
    if (!opened.isEmpty()) {
      T last = opened.removeLast();
      try (this) {
        last.close();
      }
    }
  }
}
