package io.tunnel.sdk.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailedRecordException;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.testing.Waits;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What clients and workers say of themselves, in a registry and on the page that lists it. */
class MicrometerMeterTest {

  private static final int ROWS = 10;
  private final MeterRegistry registry = new SimpleMeterRegistry();

  /** Fails once at the first input, and always at the row of id 7. */
  private static final class Failing implements IChannelProcessor {
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public void process(ProcessRecordsInput input) {
      if (calls.incrementAndGet() == 1) {
        throw new IllegalStateException("not yet");
      }
      for (StreamRecord each : input.getRecords()) {
        if (each.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong() == 7) {
          throw new FailedRecordException(each, new IllegalArgumentException("odd"));
        }
      }
    }

    @Override
    public void shutdown() {}
  }

  @Test
  void a_writer_and_a_worker_are_measured_and_every_meter_is_documented() {
    try (InMemoryTunnelService service = InMemoryTunnelService.start();
        TableClient tables = TableClient.connect(config(service));
        TunnelClient tunnels = new TunnelClient(config(service))) {
      String tunnelId = write(tables, tunnels);
      TunnelWorkerConfig config =
          TunnelWorkerConfig.builder()
              .processor(new Failing())
              .processPauseMaxInMillis(1)
              .skippedFailures(List.of(IllegalArgumentException.class))
              .build();
      TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
      worker.connectAndWorking();
      Waits.until("all is processed", () -> count("tunnel.worker.changes") == ROWS - 1);
      worker.shutdown();
    }
    assertThat(count("tunnel.writer.batches")).isPositive();
    assertThat(count("tunnel.writer.bytes")).isPositive();
    assertThat(registry.get("tunnel.writer.rows").tag("outcome", "APPLIED").counter().count())
        .isEqualTo(ROWS);
    assertThat(registry.get("tunnel.writer.latency").timer().count()).isPositive();
    assertThat(registry.get("tunnel.writer.inflight").gauge().value()).isZero();
    assertThat(count("tunnel.client.connections.opened")).isGreaterThanOrEqualTo(3);
    assertThat(count("tunnel.worker.sessions.opened")).isEqualTo(1);
    assertThat(count("tunnel.worker.failures")).isGreaterThanOrEqualTo(2);
    assertThat(count("tunnel.worker.retries")).isEqualTo(1);
    assertThat(count("tunnel.worker.skipped")).isEqualTo(1);
    assertThat(count("tunnel.worker.stopped")).isZero();
    assertThat(registry.get("tunnel.worker.callback").timer().count()).isGreaterThanOrEqualTo(3);
    assertThat(registry.get("tunnel.worker.checkpoint").timer().count()).isPositive();
    assertThat(registry.get("tunnel.worker.channels").gauge().value()).isZero();
    assertThat(registry.get("tunnel.worker.processed.until").gauge().value()).isPositive();
    Set<String> registered = new TreeSet<>();
    registry.getMeters().stream().map(Meter::getId).forEach(id -> registered.add(id.getName()));
    assertThat(registered).isEqualTo(documented());
  }

  private double count(String name) {
    return registry.find(name).counters().stream().mapToDouble(c -> c.count()).sum();
  }

  private ClientConfig config(InMemoryTunnelService service) {
    return ClientConfig.of(service.endpoint()).withMeter(new MicrometerMeter(registry));
  }

  private static String write(TableClient tables, TunnelClient tunnels) {
    var unused =
        tables.createTable(
            new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
            List.of());
    List<RowChange> rows = new ArrayList<>();
    for (int id = 0; id < ROWS; id++) {
      PrimaryKey key = PrimaryKey.builder().add("id", id).build();
      rows.add(new RowPutChange(key, List.of(new Column("v", ColumnValue.fromLong(id)))));
    }
    var result = tables.write("t", rows);
    assertThat(result.allApplied()).isTrue();
    return tunnels
        .createTunnel(
            new CreateTunnelRequest("t", "n", TunnelType.Stream, StreamTunnelConfig.EARLIEST))
        .getTunnelId();
  }

  private static Set<String> documented() {
    Set<String> names = new TreeSet<>();
    Pattern name = Pattern.compile("`([a-z][a-z.]*)(?:\\{[^`]*})?`");
    boolean isInside = false;
    for (String line : page().lines().toList()) {
      if (line.startsWith("#")) {
        isInside = line.equals("## The SDK");
      } else if (isInside && line.startsWith("| `")) {
        Matcher matcher = name.matcher(line.substring(0, line.indexOf('|', 1)));
        while (matcher.find()) {
          names.add(matcher.group(1));
        }
      }
    }
    return names;
  }

  private static String page() {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    try {
      return Files.readString(root.resolve("docs/reference/metrics.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
