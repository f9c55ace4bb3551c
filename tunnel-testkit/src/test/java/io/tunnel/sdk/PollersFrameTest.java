package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The trace of a refused poll and of a refused checkpoint contains the refused caller. */
class PollersFrameTest {

  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1).build();
  private static final TableMeta META =
      new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));

  @Test
  void a_poll_and_a_checkpoint_that_are_refused_are_in_the_trace() throws Exception {
    try (InMemoryTunnelService service = InMemoryTunnelService.start().lenient()) {
      service.createTable(META);
      service.write("t", new RowPutChange(KEY, List.of()));
      ClientConfig config = ClientConfig.of(service.endpoint());
      service.refuseNext(ClientRequest.READ_PARTITION, ErrorCode.HISTORY_LOST);
      try (TableClient tables = TableClient.connect(config);
          PartitionReader reader =
              new PartitionReader(
                  config, tables.partitionMap("t"), PartitionReaderConfig.DEFAULTS)) {
        reader.start(ReadStart.changes(0, 0));
        assertRefused("poll", ErrorCode.HISTORY_LOST, () -> reader.poll(Duration.ofSeconds(20)));
      }
      String tunnelId = service.createTunnel("t", "x", TunnelType.Stream);
      service.write("t", new RowPutChange(KEY, List.of()));
      CompletableFuture<ICheckpointer> given = new CompletableFuture<>();
      CompletableFuture<Void> revoked = new CompletableFuture<>();
      try (TunnelClient tunnels = new TunnelClient(config);
          TunnelWorker worker =
              new TunnelWorker(
                  tunnelId,
                  tunnels,
                  new TunnelWorkerConfig(),
                  (tunnel, client, channel, checkpointer) ->
                      new Revoked(given, revoked, checkpointer))) {
        worker.connectAndWorking();
        ICheckpointer checkpointer = given.get(60, TimeUnit.SECONDS);
        service.fence(service.channels("t", "x").get(0).getChannelId());
        revoked.get(60, TimeUnit.SECONDS);
        assertRefused("checkpoint", ErrorCode.FENCED, () -> checkpointer.checkpoint(null));
      }
    }
  }

  private record Revoked(
      CompletableFuture<ICheckpointer> given,
      CompletableFuture<Void> revoked,
      ICheckpointer checkpointer)
      implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      given.complete(checkpointer);
    }

    @Override
    public void revoked(String channelId) {
      revoked.complete(null);
    }

    @Override
    public void shutdown() {}
  }

  private static void assertRefused(String name, ErrorCode code, ThrowingCallable call) {
    Throwable refused = catchThrowable(call);
    assertThat(refused).as(name).isInstanceOf(RefusedException.class);
    assertThat(((RefusedException) refused).code()).as(name).isEqualTo(code);
    assertThat(refused.toString()).as(name).contains(": " + code + ": ");
    assertHasFrame(name, refused);
  }

  private static void assertHasFrame(String name, Throwable refused) {
    StringWriter trace = new StringWriter();
    refused.printStackTrace(new PrintWriter(trace));
    assertThat(refused.getStackTrace())
        .as("%s: %s", name, trace)
        .anyMatch(frame -> frame.getClassName().startsWith(PollersFrameTest.class.getName()));
  }
}
