package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long a single small synced change takes from the call that writes it to its callback, when
 * nothing else happens.
 */
final class LatencyFigure implements Figure<TunnelServerChild> {

  private static final int WARM_UP = 500;
  private static final int CHANGES = 1_000;
  private static final long BETWEEN_MS = 10;

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    var unusedTable = setup.newTable("latency", 8);
    String tunnelId = setup.newTunnel("latency");
    Arrival arrival = new Arrival(setup.clock(), new AtomicLong(-1), new AtomicLong());
    TunnelWorker worker =
        new TunnelWorker(
            tunnelId,
            setup.tunnels(),
            TunnelWorkerConfig.builder().processor(arrival).clientTag("latency").build());
    worker.connectAndWorking();
    List<Long> toCallback = new ArrayList<>();
    List<Long> toAcknowledgement = new ArrayList<>();
    try {
      for (int i = 0; i < WARM_UP + CHANGES; i++) {
        long sequence = i;
        long begun = setup.clock().nanos();
        var unused =
            setup
                .tables()
                .write(
                    "latency",
                    List.of(FigureSetup.put(FigureSetup.key(i * 0x9E3779B9, sequence), "small")));
        long acknowledged = setup.clock().nanos();
        setup.await("the callback of " + i, 10, () -> arrival.last().get() == sequence);
        if (i >= WARM_UP) {
          toAcknowledgement.add(acknowledged - begun);
          toCallback.add(arrival.nanos().get() - begun);
        }
        setup.pause(BETWEEN_MS);
      }
    } finally {
      worker.shutdown();
    }
    setup.out().println("write to acknowledgement  " + Spread.of(toAcknowledgement));
    setup.out().println("write to callback         " + Spread.of(toCallback));
  }

  /** When the last change came. */
  private record Arrival(LoadClock clock, AtomicLong last, AtomicLong nanos)
      implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      nanos.set(clock.nanos());
      for (StreamRecord record : input.getRecords()) {
        last.set(
            record.getPrimaryKey().getPrimaryKeyColumn(FigureSetup.SEQUENCE).getValue().asLong());
      }
    }

    @Override
    public void shutdown() {}
  }
}
