package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.model.Durability;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.stress.LoadClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Messages as rows of this service. A queue or a topic is a table, and a message a put of one of
 * its sender's rows, which the sender takes in turn, so that a table has a bound. A queue has a
 * partition for each of its receivers, and a topic has one.
 *
 * <p>Not persistent is durability {@code OS}, persistent is {@code FSYNC}; a transaction is an
 * atomic batch. Senders of a connection share a {@link TableClient}.
 */
final class TableMessages implements Messages {

  /** Bytes in flight of a sender that does not wait for answers, as Artemis' clients have it. */
  private static final int SEND_WINDOW_BYTES = 64 << 10;

  /** A server that is away for longer fails the case. */
  private static final Duration RETRY_MAX = Duration.ofSeconds(30);

  private final MessageCase what;
  private final LoadClock clock;
  private final TableClient admin;
  private final List<String> tables = new ArrayList<>();
  private final List<TableClient> clients = new ArrayList<>();
  private final Map<String, TableWriter> writers = new HashMap<>();
  private final TableReceivers receivers;

  private TableMessages(String endpoint, MessageCase what, LoadClock clock, TableClient admin) {
    this.what = what;
    this.clock = clock;
    this.admin = admin;
    this.receivers = new TableReceivers(endpoint, what, tables, admin);
  }

  /** Names of tables, none twice in a process. */
  static final class Names {
    private final String beginning;
    private final AtomicInteger cases = new AtomicInteger();

    Names(String beginning) {
      this.beginning = beginning;
    }

    /** The prefix of a case's tables. */
    String next() {
      return beginning + cases.incrementAndGet() + "_";
    }
  }

  /** Makes the tables of a case, and connects. */
  static TableMessages open(String endpoint, MessageCase what, Names names, LoadClock clock) {
    ClientConfig config = ClientConfig.of(endpoint).withWriteRetryDeadline(RETRY_MAX);
    TableMessages messages = new TableMessages(endpoint, what, clock, TableClient.connect(config));
    try {
      String prefix = names.next();
      for (int destination = 0; destination < what.destinations(); destination++) {
        messages.create(prefix + destination, destination);
      }
      for (int connection = 0; connection < what.connections(); connection++) {
        messages.clients.add(TableClient.connect(config));
      }
      return messages;
    } catch (RuntimeException e) {
      messages.close();
      throw e;
    }
  }

  private void create(String table, int destination) {
    CreateTableRequest.Builder request =
        CreateTableRequest.builder(table)
            .key("lane", PrimaryKeyType.INTEGER)
            .key("sender", PrimaryKeyType.INTEGER)
            .key("slot", PrimaryKeyType.INTEGER)
            .durability(what.way().isPersistent() ? Durability.FSYNC : Durability.OS);
    for (int lane = 1; lane < lanes(destination); lane++) {
      request.splitPoint(lane);
    }
    var unused = admin.createTable(request.build());
    tables.add(table);
  }

  /** Partitions of a destination: a row's lane is the number of its partition. */
  private int lanes(int destination) {
    return what.way().isTopic() ? 1 : what.receiversOf(destination).size();
  }

  @Override
  public void receive(Arrivals arrivals) throws InterruptedException {
    receivers.start(arrivals);
  }

  @Override
  public Sender sender(int number) {
    int destination = what.destinationOf(number);
    String table = tables.get(destination);
    TableClient client = clients.get(what.connectionOf(number));
    MessageRows rows = new MessageRows(what, number, lanes(destination));
    if (what.way().isTransacted()) {
      return new TableSenders.Transacted(client, table, rows, clock);
    }
    return what.way().isPersistent()
        ? new TableSenders.Waiting(client, table, rows, clock)
        : new TableSenders.Buffered(writer(number, client, table), rows, clock);
  }

  /** The writer that all senders of a connection and a table share. */
  private TableWriter writer(int number, TableClient client, String table) {
    String name = what.connectionOf(number) + "/" + table;
    return writers.computeIfAbsent(name, unused -> client.openWriter(table, writerConfig(number)));
  }

  private TableWriterConfig writerConfig(int number) {
    long sharing =
        IntStream.range(0, what.senders())
            .filter(each -> what.connectionOf(each) == what.connectionOf(number))
            .filter(each -> what.destinationOf(each) == what.destinationOf(number))
            .count();
    return TableWriterConfig.DEFAULTS
        .withLinger(Duration.ZERO)
        .withBufferBytesMax(sharing * Math.max(SEND_WINDOW_BYTES, 2L * what.bytes()));
  }

  @Override
  public void close() {
    receivers.close();
    writers.values().forEach(TableWriter::close);
    clients.forEach(TableClient::close);
    tables.forEach(admin::dropTable);
    admin.close();
  }
}
