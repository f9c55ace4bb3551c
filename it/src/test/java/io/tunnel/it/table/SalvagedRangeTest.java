package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.cli.doctor.DoctorCommand;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/**
 * Tunnels and readers learn of changes that {@code doctor --salvage} deleted, at each place of a
 * position; all other changes are served: as docs/operate/operating.md says.
 */
@Tag("proof-service")
class SalvagedRangeTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int WRITE_ROWS = 10;
  private static final long ROWS = 100;

  /** The changes of the write that is damaged. */
  private static final long FIRST_LOST = 51;

  private static final long LAST_LOST = 60;

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TableClient tables;
  private TunnelClient tunnels;
  private TableInfo orders;
  private int damaged;
  private int intact;

  /** Two partitions of one table, and another table; each change has its position as value. */
  @BeforeEach
  void fill() {
    server = stage.server();
    connect();
    orders = new TestTable("orders", 2).create(tables);
    damaged = orders.partitions().get(0).id();
    intact = orders.partitions().get(1).id();
    var unused = new TestTable("other", 1).create(tables);
    write("orders", 0, 1, ROWS);
    write("orders", TestTable.HASHES_PER_PARTITION, 1, ROWS);
    write("other", 0, 1, ROWS);
  }

  private void connect() {
    tables = stage.tables(server);
    tunnels = stage.closing(new TunnelClient(server.client()));
  }

  private void write(String table, long hash, long from, long to) {
    for (long first = from; first <= to; first += WRITE_ROWS) {
      List<RowChange> rows = new ArrayList<>();
      for (long value = first; value < first + WRITE_ROWS; value++) {
        rows.add(TestTable.put(hash, id(table, hash, value), value));
      }
      tables.write(table, rows);
    }
  }

  private static String id(String table, long hash, long value) {
    return table + "-" + hash + "-row-" + value;
  }

  private static List<Long> values(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  /** Turns a bit of the key of a row in the log, wherever that is. */
  private void damage(long value) throws IOException {
    byte[] key = id("orders", 0, value).getBytes(StandardCharsets.UTF_8);
    int found = 0;
    try (Stream<Path> files = Files.walk(server.data())) {
      for (Path file : files.filter(each -> each.toString().endsWith(".log")).toList()) {
        if (!file.getParent().endsWith("log")) {
          continue;
        }
        byte[] bytes = Files.readAllBytes(file);
        int at =
            new String(bytes, StandardCharsets.ISO_8859_1)
                .indexOf(new String(key, StandardCharsets.ISO_8859_1));
        if (at >= 0) {
          bytes[at] ^= 1;
          Files.write(file, bytes);
          found++;
        }
      }
    }
    assertThat(found).as("segments with the row").isEqualTo(1);
  }

  /** Without the indexes, a start reads each byte of the log. */
  private void deleteIndexes() throws IOException {
    try (Stream<Path> files = Files.walk(server.data())) {
      for (Path file : files.filter(each -> each.toString().endsWith(".index")).toList()) {
        Files.delete(file);
      }
    }
  }

  private String salvage(int exitCode) {
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute("--data", server.data().toString(), "--salvage", "--yes");
    assertThat(exit).as(out::toString).isEqualTo(exitCode);
    return out.toString();
  }

  private String channel(String tunnel, int partition) {
    return describe(tunnel).stream()
        .filter(channel -> channel.partition() == partition)
        .map(ChannelInfo::getChannelId)
        .findFirst()
        .orElseThrow();
  }

  private List<ChannelInfo> describe(String tunnel) {
    return tunnels.describeTunnel(new DescribeTunnelRequest("orders", tunnel)).getChannelInfos();
  }

  /** A tunnel whose channel of the damaged partition stands behind a position. */
  private String tunnelAt(String name, long position) {
    String id = new TestTable("orders", 2).createTunnel(tunnels, name);
    seek(name, position);
    return id;
  }

  private void seek(String tunnel, long position) {
    var unused =
        tunnels.seekTunnel(
            SeekTunnelRequest.toPosition("orders", tunnel, channel(tunnel, damaged), position));
  }

  /** What a worker is given, by partition. */
  private final class Seen implements AutoCloseable {
    private final Map<String, Integer> partitions = new ConcurrentHashMap<>();
    private final Map<Integer, List<Long>> values = new ConcurrentHashMap<>();
    private final Map<Integer, Throwable> stopped = new ConcurrentHashMap<>();
    private final TunnelWorker worker;

    Seen(String name, String id) {
      describe(name).forEach(each -> partitions.put(each.getChannelId(), each.partition()));
      TunnelWorkerConfig config =
          new TunnelWorkerConfig(
              input -> {
                List<Long> of =
                    values.computeIfAbsent(
                        partitions.get(input.getChannelId()), key -> new CopyOnWriteArrayList<>());
                input
                    .getRecords()
                    .forEach(record -> of.add(record.value("v").orElseThrow().asLong()));
              });
      config.setListener(
          new ITunnelWorkerListener() {
            @Override
            public void channelStopped(String channelId, Throwable error) {
              stopped.put(partitions.get(channelId), error);
            }
          });
      worker = new TunnelWorker(id, tunnels, config);
      worker.connectAndWorking();
    }

    void awaitValues(int partition, long first, long last) {
      Poll.until(
          "partition " + partition + " is delivered up to " + last,
          () -> values.getOrDefault(partition, List.of()).size() >= last - first + 1);
      assertThat(values.get(partition)).containsExactlyElementsOf(values(first, last));
    }

    void awaitLoss() {
      Poll.until("the worker is told of the loss", () -> stopped.containsKey(damaged));
      assertThat(stopped.get(damaged).toString()).contains("HISTORY_LOST");
      assertThat(stopped).containsOnlyKeys(damaged);
    }

    @Override
    public void close() {
      worker.shutdown();
    }
  }

  private PartitionReader reader(ReadStart start) {
    PartitionReader reader =
        stage.closing(new PartitionReader(server.client(), orders, PartitionReaderConfig.DEFAULTS));
    reader.start(start);
    return reader;
  }

  /** The values of so many records; what is known with the last of them. */
  private static List<Long> read(PartitionReader reader, long count, List<KnownPosition> known)
      throws InterruptedException {
    List<Long> values = new ArrayList<>();
    while (values.size() < count) {
      PartitionRecords next = reader.poll(LONG).orElseThrow();
      for (StreamRecord record : next.records()) {
        values.add(record.value("v").orElseThrow().asLong());
        known.add(new KnownPosition(record.position(), next.incarnation().orElseThrow()));
      }
      next.release();
    }
    return values;
  }

  private static void requireRefused(PartitionReader reader, ErrorCode code) {
    RefusedException refused =
        catchThrowableOfType(RefusedException.class, () -> reader.poll(LONG));
    assertThat(refused).as("refused with %s", code).isNotNull();
    assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
  }

  /** Readers without a tunnel, of a partition with {@code last} changes. */
  private void requireReadersLearn(long last) throws InterruptedException {
    for (long position : new long[] {0, 20, FIRST_LOST - 2}) {
      PartitionReader before = reader(ReadStart.changes(damaged, position));
      assertThat(read(before, FIRST_LOST - 1 - position, new ArrayList<>()))
          .containsExactlyElementsOf(values(position + 1, FIRST_LOST - 1));
      requireRefused(before, ErrorCode.HISTORY_LOST);
    }
    for (long position : new long[] {FIRST_LOST - 1, FIRST_LOST, LAST_LOST - 1}) {
      requireRefused(reader(ReadStart.changes(damaged, position)), ErrorCode.HISTORY_LOST);
    }
    for (long position : new long[] {LAST_LOST, LAST_LOST + 5}) {
      assertThat(
              read(
                  reader(ReadStart.changes(damaged, position)), last - position, new ArrayList<>()))
          .containsExactlyElementsOf(values(position + 1, last));
    }
    assertThat(read(reader(ReadStart.changes(intact, 0)), ROWS, new ArrayList<>()))
        .containsExactlyElementsOf(values(1, ROWS));
  }

  private long rows(String table) {
    long count = 0;
    for (var unused : tables.getRange(table, RangeQuery.ALL)) {
      count++;
    }
    return count;
  }

  @Test
  void tunnels_and_readers_learn_of_a_range_that_was_given_up_and_all_else_is_served()
      throws Exception {
    String before = tunnelAt("before", 20);
    String inside = tunnelAt("inside", 55);
    String behind = tunnelAt("behind", LAST_LOST);
    List<KnownPosition> known = new ArrayList<>();
    assertThat(read(reader(ReadStart.changes(damaged, 0)), ROWS, known)).hasSize((int) ROWS);
    server.stop();
    damage(55);
    deleteIndexes();
    server.begin();
    assertThat(server.child().awaitExit()).as("exit code of a start").isNotZero();
    assertThat(salvage(0)).contains("positions 51 to 60 of partition " + damaged);
    server.start();
    connect();

    try (Seen seen = new Seen("before", before)) {
      seen.awaitLoss();
      seen.awaitValues(damaged, 21, FIRST_LOST - 1);
      seen.awaitValues(intact, 1, ROWS);
    }
    try (Seen seen = new Seen("inside", inside)) {
      seen.awaitLoss();
      assertThat(seen.values).doesNotContainKey(damaged);
      seen.awaitValues(intact, 1, ROWS);
    }
    try (Seen seen = new Seen("behind", behind)) {
      seen.awaitValues(damaged, LAST_LOST + 1, ROWS);
      assertThat(seen.stopped).isEmpty();
    }
    requireReadersLearn(ROWS);
    requireRefused(
        reader(ReadStart.changes(damaged, 55).knowing(known.get(54))), ErrorCode.HISTORY_LOST);
    assertThat(rows("orders")).as("rows keep what was folded").isEqualTo(2 * ROWS);
    assertThat(rows("other")).isEqualTo(ROWS);
    write("orders", 0, ROWS + 1, ROWS + 20);

    server.stop();
    server.start();
    connect();
    requireReadersLearn(ROWS + 20);
    assertThat(read(reader(ReadStart.changes(damaged, ROWS).knowing(known.get(99))), 20, known))
        .containsExactlyElementsOf(values(ROWS + 1, ROWS + 20));
    goOnBehindTheLoss(before);
  }

  /** What docs/operate/operating.md tells an operator to do. */
  private void goOnBehindTheLoss(String before) {
    assertThat(describe("before"))
        .filteredOn(channel -> channel.error().isPresent())
        .extracting(ChannelInfo::partition)
        .containsExactly(damaged);
    seek("before", LAST_LOST);
    var unused = tunnels.resumeTunnel(new ResumeTunnelRequest("orders", "before"));
    try (Seen seen = new Seen("before", before)) {
      seen.awaitValues(damaged, LAST_LOST + 1, ROWS + 20);
      assertThat(seen.stopped).isEmpty();
    }
  }

  /**
   * Nothing tells of changes at the end of a partition whose index is gone, so their positions are
   * given again.
   */
  @Test
  void positions_at_the_end_that_are_given_again_are_told_apart() throws Exception {
    long kept = ROWS - WRITE_ROWS;
    String end = tunnelAt("end", ROWS);
    List<KnownPosition> known = new ArrayList<>();
    assertThat(read(reader(ReadStart.changes(damaged, 0)), ROWS, known)).hasSize((int) ROWS);
    server.stop();
    damage(95);
    deleteIndexes();
    assertThat(salvage(1))
        .contains("deleted damaged bytes in which no change is known to be")
        .contains("CHECKPOINT_BEYOND, tunnel end of table orders")
        .contains("the next start takes the checkpoint back");
    for (int start = 0; start < 2; start++) {
      server.start();
      connect();
      if (start == 0) {
        write("orders", 0, 201, 230);
      }
      for (long position : new long[] {kept + 1, ROWS}) {
        KnownPosition gone = known.get(Math.toIntExact(position) - 1);
        requireRefused(
            reader(ReadStart.changes(damaged, position).knowing(gone)),
            ErrorCode.POSITION_REPLACED);
      }
      KnownPosition last = known.get(Math.toIntExact(kept) - 1);
      PartitionReader behind = reader(ReadStart.changes(damaged, kept).knowing(last));
      assertThat(read(behind, 30, new ArrayList<>())).containsExactlyElementsOf(values(201, 230));
      server.stop();
    }
    server.start();
    connect();
    try (Seen seen = new Seen("end", end)) {
      seen.awaitValues(damaged, 201, 230);
      seen.awaitValues(intact, 1, ROWS);
      assertThat(seen.stopped).isEmpty();
    }
  }
}
