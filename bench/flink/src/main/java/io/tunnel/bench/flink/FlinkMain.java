package io.tunnel.bench.flink;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.children.Watchdog;
import io.tunnel.bench.flink.recovery.RecoveryFigures;
import io.tunnel.cli.log.Logging;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.Durability;
import io.tunnel.programs.bench.beside.Rounds;
import io.tunnel.programs.bench.beside.RoundsReport;
import io.tunnel.programs.bench.kafka.KafkaPeer;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.util.EnvironmentInformation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "flink",
    mixinStandardHelpOptions = true,
    showDefaultValues = false,
    description =
        "Measures reading in Apache Flink beside our worker and beside Flink's connector for Kafka,"
            + " and how fast a job comes back. Each leg has a process of its own.")
public final class FlinkMain implements Callable<Integer> {

  @Mixin private FlinkOptions options;

  private FlinkMain() {}

  /** Runs the benchmark; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new FlinkMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionStrategy(new Logging(System.getenv()));
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    options.require();
    LoadClock clock = new SystemClock();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Watchdog.endIn(options.minutesMax, clock);
    long beginNanos = clock.nanos();
    Rounds rounds = new Rounds();
    try (Children children = new Children(options.dir);
        KafkaBroker broker = KafkaService.startBroker(children.directory().resolve("kafka"))) {
      TunnelServerChild server = TunnelServerChild.start(children, clock);
      TunnelPeer.Servers ours = TunnelPeer.Servers.one(server.endpoint(), server::cpuNanos);
      try (TunnelPeer tunnel =
              new TunnelPeer("tunnel", ours, Durability.OS, FlinkOptions.batches());
          KafkaPeer kafka =
              new KafkaPeer(KafkaService.of(broker), FlinkOptions.batches(), FlinkOptions.ACKS)) {
        Services services =
            new Services(tunnel, server.endpoint(), kafka, broker.bootstrap(), clock);
        Child child = new Child(children, options.legOptions(), options.legSecondsMax);
        if (options.only.contains(FlinkOptions.READ)) {
          new ReadFigures(options, services, child, rounds, out).run();
        }
        if (options.only.contains(FlinkOptions.RECOVERY)) {
          new RecoveryFigures(options, services, child, rounds, out).run();
        }
      }
    }
    RoundsReport report = new RoundsReport(Reader.KAFKA.text(), out);
    rounds.tests().forEach(test -> report.print(test, rounds));
    out.println();
    out.printf(
        "Flink %s, %d s in all%n",
        EnvironmentInformation.getVersion(),
        TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - beginNanos));
    report.printJson(options.asMap(), rounds);
    return 0;
  }
}
