package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SkippedChange;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What becomes of changes that a processor fails at. */
abstract class FailuresContract extends Contract {

  private static final int COUNT = 200;

  /** Processes all rows but some. */
  private static final class Choosy implements IChannelProcessor {
    private final Set<Long> processed = new ConcurrentSkipListSet<>();

    static boolean isOdd(long id) {
      return id % 40 == 7;
    }

    @Override
    public void process(ProcessRecordsInput input) {
      for (StreamRecord each : input.getRecords()) {
        long id = each.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong();
        if (isOdd(id)) {
          throw new IllegalArgumentException("row " + id + " is odd");
        }
      }
      input
          .getRecords()
          .forEach(
              each ->
                  processed.add(each.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong()));
    }

    @Override
    public void shutdown() {}
  }

  @Test
  void skipped_changes_are_exactly_those_that_fail_and_none_is_lost_silently() {
    skips(TunnelType.Stream);
  }

  @Test
  void skipped_rows_of_base_data_are_exactly_those_that_fail() {
    skips(TunnelType.BaseData);
  }

  private void skips(TunnelType type) {
    TableInfo table = table(COUNT / 2);
    writeEach(table, 0, COUNT);
    String tunnelId =
        type == TunnelType.Stream
            ? stream(table, "audit")
            : tunnels()
                .createTunnel(new CreateTunnelRequest(table.meta().name(), "audit", type))
                .getTunnelId();
    Choosy choosy = new Choosy();
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(choosy)
            .checkpointIntervalInMillis(10)
            .skippedFailures(List.of(IllegalArgumentException.class))
            .build();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels(), config);
    closing(worker::shutdown);
    worker.connectAndWorking();
    List<Long> odd = LongStream.range(0, COUNT).filter(Choosy::isOdd).boxed().toList();
    Poll.until("all else is processed", () -> choosy.processed.size() == COUNT - odd.size());
    Poll.until("what is left out is described", () -> described(table).skippedCount() == 5);
    worker.shutdown();
    DescribeTunnelResponse described = described(table);
    assertThat(described.lagRows()).isZero();
    assertThat(described.skipped())
        .extracting(each -> each.key().getPrimaryKeyColumn(0).getValue().asLong())
        .containsExactlyInAnyOrderElementsOf(odd);
    for (SkippedChange each : described.skipped()) {
      long id = each.key().getPrimaryKeyColumn(0).getValue().asLong();
      assertThat(each.error()).contains("row " + id + " is odd");
      if (type == TunnelType.Stream) {
        assertThat(each.position()).isEqualTo(id % (COUNT / 2) + 1);
      }
    }
    assertThat(choosy.processed).doesNotContainAnyElementsOf(odd);
  }

  private DescribeTunnelResponse described(TableInfo table) {
    return tunnels().describeTunnel(new DescribeTunnelRequest(table.meta().name(), "audit"));
  }
}
