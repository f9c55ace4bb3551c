package io.tunnel.bench.flink.recovery;

import io.tunnel.bench.flink.Child;
import io.tunnel.bench.flink.FlinkOptions;
import io.tunnel.bench.flink.LocalFlink;
import io.tunnel.bench.flink.Reader;
import io.tunnel.model.Durability;
import io.tunnel.programs.bench.kafka.KafkaPeer;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Interrupts a job that reads the rows of this process, and prints the time to recover. */
@Command(name = "recovery", description = "A part of FlinkMain.")
final class RecoveryMain implements Callable<Integer> {

  private final LoadClock clock = new SystemClock();

  @Parameters(paramLabel = "JSON", description = "A RecoveryOrder.")
  private String json;

  private RecoveryMain() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new RecoveryMain()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    RecoveryOrder order = Child.order(json, RecoveryOrder.class);
    if (order.reader() == Reader.KAFKA) {
      measure(
          order,
          KafkaPeer.openWriter(
              KafkaService.at(order.endpoint(), ""),
              order.table(),
              FlinkOptions.batches(),
              FlinkOptions.ACKS));
      return 0;
    }
    TunnelPeer.Servers servers = new TunnelPeer.Servers(order.endpoint(), () -> 0, () -> 0, 1);
    try (TunnelPeer peer =
        new TunnelPeer("tunnel", servers, Durability.OS, FlinkOptions.batches())) {
      measure(order, peer.openWriter(order.table()));
    }
    return 0;
  }

  private void measure(RecoveryOrder order, RowWriter writer) throws Exception {
    RecoveryOrder.Shape shape = order.shape();
    RecoveryWatch watch =
        new RecoveryWatch(new RecoveryCore(shape.partitions(), shape.lagMs()), clock);
    watch.install();
    try (LocalFlink flink = LocalFlink.start(shape.parallelism());
        PacedRows rows = new PacedRows(writer, shape.rowsPerSecond(), clock)) {
      Child.tell(new Recoveries(order, flink, watch, rows, clock).run());
    }
  }
}
