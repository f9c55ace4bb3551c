package io.tunnel.zookeeper;

import java.io.IOException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * The child with one server: ZooKeeper's own program. Ends at once when standard input ends, so it
 * never outlives its parent.
 */
final class ServerMain {

  private ServerMain() {}

  /** The argument is the configuration file. */
  public static void main(String[] arguments) {
    Thread watch = new Thread(ServerMain::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    QuorumPeerMain.main(arguments);
  }

  /** Also while it starts: nobody is left who waits for it. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever written here.
      }
    } catch (IOException broken) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(1);
  }
}
