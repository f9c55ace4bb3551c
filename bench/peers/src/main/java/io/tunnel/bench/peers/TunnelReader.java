package io.tunnel.bench.peers;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import java.util.List;
import java.util.Optional;

/** One worker with its defaults, on a tunnel of its own. */
public final class TunnelReader implements RowReader {

  private static final String TUNNEL = "side-by-side";
  private static final int SEQUENCE_COLUMN = 3;
  private static final int AMOUNT_COLUMN = 1;

  private final String table;
  private final TunnelClient client;
  private final TunnelWorker worker;

  /** A reader of that table; it does nothing before its start. */
  public TunnelReader(String endpoint, String table, Look look, Arrivals arrivals) {
    this.table = table;
    this.client = new TunnelClient(endpoint);
    String tunnelId =
        client
            .createTunnel(
                new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    this.worker =
        new TunnelWorker(
            tunnelId, client, new TunnelWorkerConfig(new LookProcessor(look, arrivals)));
  }

  @Override
  public void start() {
    worker.connectAndWorking();
  }

  @Override
  public Optional<String> trouble() {
    TunnelWorkerStatus status = worker.status();
    return status.state() == TunnelWorkerStatus.State.WORKER_HALT
        ? Optional.of(status.lastError().orElse("for no known reason"))
        : Optional.empty();
  }

  @Override
  public void close() {
    try {
      worker.shutdown();
      var unused = client.deleteTunnel(new DeleteTunnelRequest(table, TUNNEL));
    } finally {
      client.close();
    }
  }

  private record LookProcessor(Look look, Arrivals arrivals) implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      List<StreamRecord> records = input.getRecords();
      switch (look) {
        case COUNT -> arrivals.arrived(records.size(), 0, 0);
        case TOUCH -> touch(records);
        case DECODE -> decode(records);
        case SEQUENCE -> {
          for (StreamRecord record : records) {
            PrimaryKey key = record.getPrimaryKey();
            arrivals.saw(key.getPrimaryKeyColumn(SEQUENCE_COLUMN).getValue().asLong());
          }
          arrivals.arrived(records.size(), 0, 0);
        }
      }
    }

    private void touch(List<StreamRecord> records) {
      long amounts = 0;
      long digest = 0;
      for (StreamRecord record : records) {
        digest += record.primaryKeyHash();
        amounts += record.value("amount").asLong();
      }
      arrivals.arrived(records.size(), amounts, digest);
    }

    private void decode(List<StreamRecord> records) {
      long amounts = 0;
      long digest = 0;
      for (StreamRecord record : records) {
        digest += hash(record.getPrimaryKey());
        List<RecordColumn> columns = record.getColumns();
        Column payload = columns.get(0).getColumn();
        digest += payload.getValue().asString().length();
        amounts += columns.get(AMOUNT_COLUMN).getColumn().getValue().asLong();
      }
      arrivals.arrived(records.size(), amounts, digest);
    }

    private static long hash(PrimaryKey key) {
      long hash = 0;
      for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
        hash += column.getValue().hashCode();
      }
      return hash;
    }

    @Override
    public void shutdown() {}
  }
}
