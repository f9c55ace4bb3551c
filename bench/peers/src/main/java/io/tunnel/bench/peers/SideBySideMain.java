package io.tunnel.bench.peers;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.Durability;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "side-by-side",
    mixinStandardHelpOptions = true,
    showDefaultValues = false,
    description = "Measures our server beside Apache Kafka, each in a process of its own.")
public final class SideBySideMain implements Callable<Integer> {

  private static final int INTERNAL = 70;

  /** What the broker's own start script gives it. */
  private static final int BROKER_HEAP_MIB = 1024;

  @Mixin private SideBySideOptions options;

  private SideBySideMain() {}

  /** Runs the benchmark; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    System.exit(new CommandLine(new SideBySideMain()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    options.require();
    LoadClock clock = new SystemClock();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    endIn(options.minutesMax, clock);
    try (Children children = new Children(options.dir)) {
      TunnelServerChild server = TunnelServerChild.start(children, clock);
      try (KafkaBroker broker =
              KafkaBroker.start(
                  children.directory().resolve("kafka"),
                  Map.of("log.retention.hours", "-1"),
                  BROKER_HEAP_MIB);
          KafkaPeer kafka = new KafkaPeer(broker, options.batches());
          TunnelPeer os = new TunnelPeer(server, Durability.OS, options.batches());
          TunnelPeer fsync = new TunnelPeer(server, Durability.FSYNC, options.batches())) {
        new SideBySide(options, clock, out).run(kafka, os, fsync);
      }
    }
    return 0;
  }

  /** The process ends then, whatever hangs; ending it stops the children. */
  private static void endIn(int minutes, LoadClock clock) {
    long deadlineNanos = clock.nanos() + TimeUnit.MINUTES.toNanos(minutes);
    Thread watchdog =
        new Thread(
            () -> {
              clock.waitUntil(deadlineNanos, () -> false);
              System.err.println("not done after " + minutes + " minutes");
              System.exit(INTERNAL);
            },
            "watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
  }
}
