package io.tunnel.server;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when its parent process has ended, even by SIGKILL: the pipe behind standard
 * input then ends. There is no graceful stop, because no one waits for it and the data on disk
 * withstands a crash.
 */
final class ParentWatch {

  private static final int EXIT_CODE = 1;

  private ParentWatch() {}

  static void start(InputStream in) {
    Thread watch = new Thread(() -> await(in), "parent-watch");
    watch.setDaemon(true);
    watch.start();
  }

  private static void await(InputStream in) {
    try {
      while (in.read() >= 0) {
        // Input of the parent is ignored.
      }
    } catch (IOException broken) {
      // Counts as the end of input.
    }
    Runtime.getRuntime().halt(EXIT_CODE);
  }
}
