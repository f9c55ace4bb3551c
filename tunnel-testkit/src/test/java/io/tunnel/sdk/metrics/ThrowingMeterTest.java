package io.tunnel.sdk.metrics;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.testing.Waits;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThrowingMeterTest {

  private static final int ROWS = 100;
  private final Set<String> told = new ConcurrentSkipListSet<>();
  private final AtomicInteger processed = new AtomicInteger();

  /** Throws whatever it is told. */
  private SdkMeter throwing(Class<? extends Throwable> thrown) {
    return (SdkMeter)
        Proxy.newProxyInstance(
            SdkMeter.class.getClassLoader(),
            new Class<?>[] {SdkMeter.class},
            (proxy, method, arguments) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.getName().equals("toString") ? "throwing" : 0;
              }
              told.add(method.getName());
              throw thrown.getConstructor(String.class).newInstance(method.getName());
            });
  }

  /** An error is what a meter throws that was built with another version of its library. */
  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, NoSuchMethodError.class})
  void rows_and_changes_get_through_whatever_the_meter_throws(Class<? extends Throwable> thrown) {
    try (InMemoryTunnelService service = InMemoryTunnelService.start()) {
      ClientConfig config = ClientConfig.of(service.endpoint()).withMeter(throwing(thrown));
      try (TableClient tables = TableClient.connect(config);
          TunnelClient tunnels = new TunnelClient(config)) {
        var unused =
            tables.createTable(
                new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
                List.of());
        for (int i = 0; i < ROWS; i++) {
          assertThat(tables.write("t", row(i)).allApplied()).isTrue();
        }
        String tunnelId =
            tunnels
                .createTunnel(
                    new CreateTunnelRequest(
                        "t", "n", TunnelType.Stream, StreamTunnelConfig.EARLIEST))
                .getTunnelId();
        TunnelWorkerConfig counting =
            TunnelWorkerConfig.builder()
                .processor(input -> processed.addAndGet(input.getRecords().size()))
                .build();
        TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, counting);
        worker.connectAndWorking();
        Waits.until("all is processed", () -> processed.get() == ROWS);
        worker.shutdown();
      }
    }
    assertThat(told)
        .contains("batchSent", "batchOver", "rows", "connected", "called", "processed")
        .contains("sessionOpened", "channelsHeld", "checkpointed");
  }

  private static List<RowChange> row(int id) {
    return List.of(
        new RowPutChange(
            PrimaryKey.builder().add("id", id).build(),
            List.of(new Column("v", ColumnValue.fromLong(id)))));
  }
}
