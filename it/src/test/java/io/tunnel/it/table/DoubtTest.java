package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.RowCursor;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import io.tunnel.it.process.FrameProxy;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The connection is cut at a chosen frame, again and again. A proxy knows which rows had left
 * without an answer: the SDK repeats these rows, and each is applied once, in its place.
 */
class DoubtTest {

  private static final int ROWS = 4_000;
  private static final int CUTS = 6;
  private static final int FRAMES_BETWEEN_CUTS = 5;

  @RegisterExtension final Stage stage = new Stage();

  /** Remembers the writes that passed and were not answered; cuts every so many frames. */
  private static final class Cutter implements FrameProxy.Watcher {
    private final boolean cutsAnswers;
    private final Map<Integer, Set<Long>> unanswered = new HashMap<>();
    private final Set<Long> doubtful = new HashSet<>();
    private int frames;
    private int cuts;

    Cutter(boolean cutsAnswers) {
      this.cutsAnswers = cutsAnswers;
    }

    @Override
    public synchronized boolean passes(boolean isFromClient, Frame frame) {
      if (frame.operation() != Operation.WRITE) {
        return true;
      }
      boolean isRequest = frame.kind() == FrameKind.REQUEST;
      boolean isTurn = isRequest != cutsAnswers;
      if (isTurn && cuts < CUTS && ++frames % FRAMES_BETWEEN_CUTS == 0) {
        cuts++;
        unanswered.values().forEach(doubtful::addAll);
        unanswered.clear();
        return false;
      }
      if (isRequest) {
        unanswered.put(frame.correlationId(), versions(frame));
      } else {
        unanswered.remove(frame.correlationId());
      }
      return true;
    }

    /** It had left its client whole: the client cannot know that it went no further. */
    @Override
    public synchronized void lost(Frame frame) {
      if (frame.operation() == Operation.WRITE) {
        doubtful.addAll(versions(frame));
      }
    }

    /** The values of column v, which number the rows. */
    private static Set<Long> versions(Frame frame) {
      Set<Long> versions = new HashSet<>();
      RowCursor row = WriteRequest.decode(frame.payload()).batch().rows();
      while (row.next()) {
        var columns = row.columns();
        assertThat(columns.next()).isTrue();
        versions.add(columns.value().asLong());
      }
      return versions;
    }

    synchronized int cuts() {
      return cuts;
    }

    synchronized Set<Long> doubtful() {
      return Set.copyOf(doubtful);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rows_that_left_without_an_answer_are_repeated_and_applied_once(boolean cutsAnswers) {
    ServerProcess server = stage.server();
    TestTable table = new TestTable("orders", 4);
    TableClient direct = stage.tables(server);
    TableInfo unused = table.create(direct);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "audit");
    Cutter cutter = new Cutter(cutsAnswers);
    FrameProxy proxy = stage.closing(new FrameProxy(server.port(), cutter));

    List<Written> written = Collections.synchronizedList(new ArrayList<>());
    SplittableRandom random = new SplittableRandom(5);
    TableWriterConfig small = TableWriterConfig.DEFAULTS.withBatchBytesMax(1_500);
    try (TableClient client = TableClient.connect(ClientConfig.of(proxy.endpoint()));
        TableWriter writer = client.openWriter("orders", small.withBufferBytesMax(20_000))) {
      for (int i = 0; i < ROWS; i++) {
        long sequence = i;
        RowChange row = TestTable.put(random.nextInt(200) * 20L, "k", sequence);
        writer.add(row, (r, result) -> written.add(Written.of(sequence, Mutation.of(r), result)));
      }
    }
    Ledger ledger = new Ledger(written);
    assertThat(cutter.cuts()).isEqualTo(CUTS);
    assertThat(cutter.doubtful()).isNotEmpty();
    assertThat(ledger.count(Outcome.APPLIED)).isEqualTo(ROWS);

    Recorder recorder = new Recorder();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(recorder));
    worker.connectAndWorking();
    Map<Integer, Long> committed = new HashMap<>();
    direct
        .describeTable("orders")
        .partitions()
        .forEach(p -> committed.put(p.id(), p.figures().orElseThrow().committed()));
    long total = committed.values().stream().mapToLong(Long::longValue).sum();
    Poll.until("all changes consumed", () -> recorder.count() >= total);
    worker.shutdown();
    Sightings sightings = new Sightings().add(recorder.seen());
    assertThat(ledger.requireConsumed(sightings)).as("rows in doubt").isZero();
    assertThat(total).isEqualTo(ROWS);
    Ledger.requireTable(direct, "orders", sightings);
  }
}
