package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.process.RawClient;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Sentences that hold of the server and of the fake alike, with what they are said with: clients,
 * tables with a key {@code (id INTEGER)} and a column {@code v}, workers, and raw connections.
 */
public abstract class Contract {

  private static int tableNames;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private Subject subject;
  private TableClient tables;
  private TunnelClient tunnels;

  /** A subject without clients of this test so far. */
  abstract Subject begin();

  @BeforeEach
  final void connect() {
    subject = begin();
    open.push(subject);
    tables = closing(TableClient.connect(endpoint()));
    tunnels = closing(new TunnelClient(endpoint()));
  }

  @AfterEach
  final void close() throws Exception {
    Exception failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  final <T extends AutoCloseable> T closing(T resource) {
    open.push(resource);
    return resource;
  }

  final Subject subject() {
    return subject;
  }

  final TableClient tables() {
    return tables;
  }

  final TunnelClient tunnels() {
    return tunnels;
  }

  final String endpoint() {
    return "127.0.0.1:" + subject.port();
  }

  final RawClient raw() {
    return closing(RawClient.greeted(subject.port()));
  }

  /** A table that is called like no other, with partitions below, between and above the points. */
  final TableInfo table(long... splitPoints) {
    return tables.createTable(
        meta(newName()), Arrays.stream(splitPoints).mapToObj(PrimaryKeyValue::fromLong).toList());
  }

  static synchronized String newName() {
    return "contract" + ++tableNames;
  }

  static TableMeta meta(String name) {
    return new TableMeta(name, List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
  }

  static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  static RowPutChange put(long id, long v) {
    return new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(v))));
  }

  /** Writes rows that must all be applied. */
  final void write(TableInfo table, RowChange... rows) {
    tables.write(table.meta().name(), List.of(rows));
  }

  /** Writes values 1 to {@code count} to as many keys from {@code firstId} on, one by one. */
  final void writeEach(TableInfo table, long firstId, int count) {
    for (int i = 0; i < count; i++) {
      write(table, put(firstId + i, i + 1));
    }
  }

  /** Creates a tunnel on all there is; returns its id. */
  final String tunnel(TableInfo table, String name, TunnelType type) {
    return tunnels
        .createTunnel(
            new CreateTunnelRequest(table.meta().name(), name, type, StreamStart.EARLIEST))
        .getTunnelId();
  }

  final String stream(TableInfo table, String name) {
    return tunnel(table, name, TunnelType.Stream);
  }

  final Channels channels(TableInfo table, String name) {
    return new Channels(tunnels, table.meta().name(), name);
  }

  static List<Long> oneTo(int last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  final void awaitTerminated(TableInfo table, String name) {
    Channels channels = channels(table, name);
    Poll.until(
        Poll.LONG,
        () -> statuses(channels.now()).allMatch(ChannelStatus.TERMINATED::equals),
        () -> "all channels terminated, but " + channels.now());
  }

  final TunnelWorker worker(String tunnelId, String tag, IChannelProcessor processor) {
    return worker(
        tunnelId,
        TunnelWorkerConfig.builder()
            .processor(processor)
            .clientTag(tag)
            .checkpointIntervalInMillis(20)
            .build());
  }

  final TunnelWorker worker(String tunnelId, TunnelWorkerConfig config) {
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
    open.push(worker::shutdown);
    worker.connectAndWorking();
    return worker;
  }

  static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThat(catchThrowable(call))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> {
              assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
              assertThat(refused.getMessage()).isNotBlank();
            });
  }

  static Stream<ChannelStatus> statuses(List<ChannelInfo> channels) {
    return channels.stream().map(ChannelInfo::getChannelStatus);
  }

  /** Keeps the received values in their order. */
  public static final class Values implements IChannelProcessor {
    private final List<Long> all = new ArrayList<>();

    @Override
    public void process(ProcessRecordsInput input) {
      for (StreamRecord record : input.getRecords()) {
        add(record.value("v").orElseThrow().asLong());
      }
    }

    private synchronized void add(long value) {
      all.add(value);
    }

    public synchronized List<Long> all() {
      return List.copyOf(all);
    }

    void await(int count) {
      Poll.until(Poll.LONG, () -> all().size() >= count, () -> count + " values, but " + all());
    }

    @Override
    public void shutdown() {
      // Nothing is held.
    }
  }
}
