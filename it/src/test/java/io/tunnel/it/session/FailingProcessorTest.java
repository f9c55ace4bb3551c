package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processors that throw, that block, and that call back after their channel has another holder. */
@Tag("proof-service")
class FailingProcessorTest {

  private static final int PARTITIONS = 2;
  private static final int ATTEMPTS = 3;
  private static final String CONFIG = "{\"session\":{\"revokeDeadlineMs\":500}}";

  @RegisterExtension final Stage stage = new Stage();

  private Scene scene;
  private Channels tunnel;
  private List<Integer> partitions;
  private long written;

  private ServerProcess begin(String... options) {
    ServerProcess server = stage.server(options);
    scene = new Scene(stage, server, PARTITIONS);
    tunnel = scene.tunnel("audit", TunnelType.Stream);
    partitions = List.copyOf(scene.committed().keySet());
    return server;
  }

  /** One change to a partition, each in a batch of its own. */
  private void write(int index, String id) {
    RowPutChange row = TestTable.put(index * (long) TestTable.HASHES_PER_PARTITION, id, ++written);
    scene.tables().write(scene.table(), List.of(row));
  }

  private TunnelWorker start(TunnelWorkerConfig config) {
    config.setMaxRetryIntervalInMillis(50);
    config.setProcessPauseMaxInMillis(50);
    TunnelWorker worker = new TunnelWorker(tunnel.tunnelId(), scene.tunnels(), config);
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
    return worker;
  }

  /** Throws at a row until the row is repaired, and records all other rows. */
  private static final class Picky implements IChannelProcessor {
    private final Recorder recorder = new Recorder();
    private final List<Long> failedAt = new ArrayList<>();
    private volatile boolean isRepaired;

    @Override
    public void process(ProcessRecordsInput input) {
      boolean isBad =
          Seen.of(input).stream().anyMatch(seen -> seen.mutation().key().contains("poison"));
      if (isBad && !isRepaired) {
        failed(input.getRecords().get(0).position());
        throw new IllegalStateException("the poisoned row is not to my taste");
      }
      recorder.process(input);
    }

    private synchronized void failed(long position) {
      failedAt.add(position);
    }

    synchronized List<Long> failedAt() {
      return List.copyOf(failedAt);
    }

    @Override
    public void shutdown() {
      recorder.shutdown();
    }
  }

  @Test
  void a_row_that_fails_stops_its_channel_for_an_operator_also_over_a_restart() {
    ServerProcess server = begin();
    Picky picky = new Picky();
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(picky)
            .clientTag("picky")
            .checkpointIntervalInMillis(10)
            .build();
    config.setProcessAttemptsMax(ATTEMPTS);
    TunnelWorker worker = start(config);
    for (int i = 0; i < 5; i++) {
      write(0, "good" + i);
    }
    tunnel.awaitDrained();
    write(0, "poison");
    write(0, "behind");
    Poll.until("the channel stops", () -> failing().error().isPresent());
    assertThat(failing().error().orElseThrow()).contains("not to my taste");
    assertThat(failing().getChannelStatus()).isEqualTo(ChannelStatus.WAIT);
    assertThat(failing().checkpointed()).isEqualTo(5);
    assertThat(picky.failedAt()).isEqualTo(List.of(6L, 6L, 6L)).hasSize(ATTEMPTS);
    assertThat(worker.status().counters().failed()).isEqualTo(1);
    write(1, "other");
    awaitOtherDrained(1);

    server.kill();
    server.start();
    write(1, "other");
    write(0, "later");
    awaitOtherDrained(2);
    assertThat(failing().error().orElseThrow()).contains("not to my taste");
    assertThat(failing().checkpointed()).isEqualTo(5);
    assertThat(picky.failedAt()).hasSize(ATTEMPTS);

    picky.isRepaired = true;
    ResumeTunnelRequest resume =
        new ResumeTunnelRequest(scene.table(), "audit", List.of(failing().getChannelId()));
    assertThat(scene.tunnels().resumeTunnel(resume)).isNotNull();
    tunnel.awaitDrained();
    assertThat(failing().error()).isEmpty();
    Sightings sightings = new Sightings().add(picky.recorder.seen());
    assertThat(sightings.repeated()).isZero();
    assertThat(sightings.changes().get(partitions.get(0))).hasSize(8);
    assertThat(sightings.rows()).isEqualTo(scene.rows());
  }

  private ChannelInfo failing() {
    return tunnel.now().get(0);
  }

  private void awaitOtherDrained(long position) {
    Poll.until("the other channel goes on", () -> tunnel.now().get(1).checkpointed() == position);
  }

  /** The processor of one channel: checkpoints each input, and blocks at a row of that name. */
  private static final class Blocking implements IChannelProcessor {
    private final ICheckpointer checkpointer;
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final CountDownLatch isBlocked = new CountDownLatch(1);
    private final CountDownLatch isRevoked = new CountDownLatch(1);
    private final CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    private final CompletableFuture<Throwable> asyncRefusal = new CompletableFuture<>();

    Blocking(ICheckpointer checkpointer) {
      this.checkpointer = checkpointer;
    }

    @Override
    public void process(ProcessRecordsInput input) {
      if (Seen.of(input).stream().noneMatch(seen -> seen.mutation().key().contains("block"))) {
        checkpointer.checkpoint(input.getNextToken());
        return;
      }
      isBlocked.countDown();
      await(mayGoOn);
      var unused =
          checkpointer
              .checkpointAsync(input.getNextToken())
              .whenComplete((done, error) -> asyncRefusal.complete(error));
      try {
        checkpointer.checkpoint(input.getNextToken());
        refusal.complete(null);
      } catch (RuntimeException e) {
        refusal.complete(e);
        throw e;
      }
    }

    @Override
    public void revoked(String channelId) {
      isRevoked.countDown();
    }

    @Override
    public void shutdown() {
      mayGoOn.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    Poll.until("the other side", () -> latch.getCount() == 0);
  }

  @Test
  void who_blocks_beyond_the_deadline_of_a_move_loses_the_channel_and_cannot_check_in_later()
      throws IOException {
    Path config = Files.writeString(stage.path("config.json"), CONFIG);
    var unused = begin("--config", config.toString());
    Map<Integer, Blocking> processors = new ConcurrentHashMap<>();
    TunnelWorkerConfig slow = TunnelWorkerConfig.builder().clientTag("slow").build();
    slow.setMaxRetryIntervalInMillis(50);
    TunnelWorker first =
        new TunnelWorker(
            tunnel.tunnelId(),
            scene.tunnels(),
            slow,
            (tunnelId, clientId, channelId, checkpointer) -> {
              int partition = Integer.parseInt(channelId.substring(0, channelId.indexOf('_')));
              return processors.computeIfAbsent(partition, id -> new Blocking(checkpointer));
            });
    stage.closes(first::shutdown);
    stage.closes(() -> processors.values().forEach(each -> each.mayGoOn.countDown()));
    first.connectAndWorking();
    for (int index = 0; index < PARTITIONS; index++) {
      for (int i = 0; i < 5; i++) {
        write(index, "good" + i);
      }
    }
    tunnel.awaitDrained();
    for (int index = 0; index < PARTITIONS; index++) {
      write(index, "block");
    }
    processors.values().forEach(each -> await(each.isBlocked));

    Recorder recorder = new Recorder();
    var second =
        start(
            TunnelWorkerConfig.builder()
                .processor(recorder)
                .clientTag("quick")
                .checkpointIntervalInMillis(10)
                .build());
    tunnel.awaitSpread(Map.of("slow", 1, "quick", 1));
    int moved = tunnel.partitionsOf("quick").iterator().next();
    int kept = tunnel.partitionsOf("slow").iterator().next();
    await(processors.get(moved).isRevoked);
    Poll.until("the new holder has it", () -> recorder.count() == 1);
    assertThat(recorder.seen())
        .as("what was not checkpointed, and nothing else")
        .extracting(Seen::partition, Seen::position)
        .containsExactly(tuple(moved, 6L));
    Poll.until("its checkpoint", () -> tunnel.checkpoints().get(moved) == 6);

    processors.values().forEach(each -> each.mayGoOn.countDown());
    requireFenced(processors.get(moved).refusal.join());
    requireFenced(processors.get(moved).asyncRefusal.join());
    assertThat(processors.get(kept).refusal.join()).isNull();
    assertThat(processors.get(kept).isRevoked.getCount()).isEqualTo(1);
    tunnel.awaitDrained();
    // It is counted when its processor has been stopped.
    Poll.until("the loss is counted", () -> first.status().counters().fenced() == 1);
    assertThat(second.status().counters().fenced()).isZero();
    assertThat(failing().error()).isEmpty();
    ICheckpointer stale = processors.get(moved).checkpointer;
    assertThatThrownBy(() -> stale.checkpoint(null))
        .isInstanceOfSatisfying(RefusedException.class, FailingProcessorTest::requireFenced);
  }

  private static void requireFenced(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.FENCED));
  }
}
