package io.tunnel.server;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when the one that started it has ended, also by SIGKILL: then the pipe that
 * standard input reads from has no other end any more. Nobody waits for a graceful stop then, and
 * what is on disk withstands a crash.
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
        // What the parent writes means nothing.
      }
    } catch (IOException broken) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(EXIT_CODE);
  }
}
