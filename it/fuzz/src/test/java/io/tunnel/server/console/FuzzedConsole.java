package io.tunnel.server.console;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetServer;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The console of an open server, over a service that answers each request, in memory. */
final class FuzzedConsole {

  /** The id of the browser's session. */
  static final String COOKIE = "A".repeat(43);

  private static final Service ASKED = new Service();
  private static final ConsoleSite SITE = site();

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private static final byte[] TABLE =
      Json.encode(
          new TableDescription(
              1,
              new TableMeta("t", SCHEMA, TableOptions.DEFAULT),
              0,
              List.of(
                  new PartitionDescription(
                      1, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0, true, 0, 0, 0, 0))));

  private static final byte[] POSITIONS =
      Json.encode(new FoundPositions(1, List.of(new Positions(1, 3, 9, Optional.empty())), 1));

  private static final Changes ONE_CHANGE =
      new Changes(
          Optional.of(1L),
          OptionalLong.empty(),
          Optional.of(new Delivery(1, 0, 1, List.of(oneChange()))));

  private static ChangeBatch oneChange() {
    BatchBuilder rows = new BatchBuilder(SCHEMA, 64);
    boolean unused =
        rows.add(new RowDeleteChange(PrimaryKey.builder().add("user", "u").add("id", 1L).build()));
    byte[] array = rows.build(1);
    BatchBuilder.stamp(array, 0, 1, 1);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static final byte[] NO_ROWS =
      RowPage.encode(
          Optional.empty(),
          RowPage.Looked.NOTHING,
          new BatchBuilder(SCHEMA, 64).build(0),
          Optional.empty());

  /** Counts the requests that are sent on. */
  private static final class Service implements Forwarding {
    private int count;

    @Override
    public CompletableFuture<byte[]> ask(
        OnBehalf who,
        Optional<String> node,
        Operation operation,
        byte[] payload,
        Duration deadline) {
      count++;
      return CompletableFuture.completedFuture(
          operation == Operation.PARTITION_MAP
              ? TABLE
              : operation == Operation.GET_RANGE
                  ? NO_ROWS
                  : operation == Operation.FIND_POSITIONS ? POSITIONS : payload);
    }

    @Override
    public CompletableFuture<Changes> read(
        OnBehalf who, ReadPartition from, int bytes, Duration patience) {
      count++;
      return CompletableFuture.completedFuture(ONE_CHANGE);
    }

    @Override
    public void close() {}
  }

  private record Quiet() implements ConsoleServer {
    @Override
    public Optional<String> node() {
      return Optional.empty();
    }

    @Override
    public Optional<ClusterDescription> cluster() {
      return Optional.empty();
    }

    @Override
    public String version() {
      return "fuzz";
    }

    @Override
    public String health() {
      return "{}";
    }

    @Override
    public ServerMeters.Totals totals() {
      return new ServerMeters.Totals(0, 0, 0, 0, DeliveryAges.Counts.none());
    }

    @Override
    public Taken taken() {
      return new Taken(0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public <T> Optional<List<T>> tunnels(Function<TunnelDescription, T> figures) {
      return Optional.of(List.of());
    }
  }

  private static ConsoleSite site() {
    try {
      return new ConsoleSite(
          ConsoleConfig.DEFAULT,
          HttpHosts.ALL,
          NetServer.Door.open(),
          new Quiet(),
          ASKED,
          new ConsoleSite.Machine(
              count -> Bytes.copyOf(new byte[count]), () -> 1, () -> 1, Runnable::run));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private FuzzedConsole() {}

  /** A connection of a browser. */
  static EmbeddedChannel browser() {
    EmbeddedChannel browser = new EmbeddedChannel();
    HttpServer.reading().forEach(browser.pipeline()::addLast);
    browser.pipeline().addLast(HttpServer.whole(SITE.bodyBytesMax()), SITE.handler(true));
    return browser;
  }

  /** Requests that the console has sent on. */
  static int askedCount() {
    return ASKED.count;
  }

  /** What the console has answered since it was asked last. */
  static String answer(EmbeddedChannel browser) {
    StringBuilder all = new StringBuilder();
    for (ByteBuf part = browser.readOutbound(); part != null; part = browser.readOutbound()) {
      all.append(part.toString(StandardCharsets.UTF_8));
      part.release();
    }
    return all.toString();
  }
}
