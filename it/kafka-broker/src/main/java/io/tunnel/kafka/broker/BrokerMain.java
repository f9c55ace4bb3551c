package io.tunnel.kafka.broker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * The child: formats the directory unless formatted, starts the broker, and reports the start in
 * one line on standard output. The broker ends at once when standard input ends, so it never
 * outlives its parent.
 */
final class BrokerMain {

  /** The line. */
  static final String READY = "ready";

  private BrokerMain() {}

  /** Takes the file of the broker's settings, and the id of the cluster that it is. */
  public static void main(String[] arguments) throws IOException {
    Thread watch = new Thread(BrokerMain::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    String settings = arguments[0];
    int formatted =
        StorageTool.execute(
            new String[] {"format", "--ignore-formatted", "-t", arguments[1], "-c", settings},
            System.err);
    if (formatted != 0) {
      System.exit(formatted);
    }
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(Path.of(settings))) {
      properties.load(in);
    }
    KafkaRaftServer server =
        new KafkaRaftServer(KafkaConfig.fromProps(properties, false), Time.SYSTEM);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "stop-broker"));
    try {
      server.startup();
    } catch (Throwable e) {
      // Whatever it is: the broker's threads would keep half a broker alive.
      e.printStackTrace();
      System.exit(1);
    }
    System.out.println(READY);
    server.awaitShutdown();
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
