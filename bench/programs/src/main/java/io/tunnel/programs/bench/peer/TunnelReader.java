package io.tunnel.programs.bench.peer;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
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
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Workers with their defaults, each with connections of its own, on a tunnel of their own. */
public final class TunnelReader implements RowReader {

  private static final String TUNNEL = "side-by-side";
  private static final int SEQUENCE_COLUMN = 3;
  private static final int AMOUNT_COLUMN = 1;

  private final String table;
  private final String tunnel;
  private final List<TunnelClient> clients = new ArrayList<>();
  private final List<TunnelWorker> workers = new ArrayList<>();

  /** One worker on that table; it does nothing before its start. */
  public TunnelReader(String endpoint, String table, Look look, Arrivals arrivals) {
    this(endpoint, From.earliest(table, TUNNEL), 1, look, arrivals);
  }

  /**
   * What is read.
   *
   * @param table the table
   * @param tunnel the name of a new tunnel on it
   * @param start where the tunnel begins
   */
  public record From(String table, String tunnel, StreamTunnelConfig start) {

    /** Everything that the table keeps, through a tunnel of that name. */
    public static From earliest(String table, String tunnel) {
      return new From(table, tunnel, StreamTunnelConfig.EARLIEST);
    }
  }

  /** So many workers on a new tunnel; they do nothing before their start. */
  public TunnelReader(String endpoint, From from, int workers, Look look, Arrivals arrivals) {
    this(endpoint, from, workers, new LookProcessor(look, arrivals));
  }

  /** So many workers on a new tunnel, which share a processor. */
  public TunnelReader(String endpoint, From from, int workers, IChannelProcessor processor) {
    this.table = from.table();
    this.tunnel = from.tunnel();
    for (int i = 0; i < workers; i++) {
      clients.add(new TunnelClient(endpoint));
    }
    String tunnelId =
        clients
            .get(0)
            .createTunnel(new CreateTunnelRequest(table, tunnel, TunnelType.Stream, from.start()))
            .getTunnelId();
    for (TunnelClient client : clients) {
      this.workers.add(new TunnelWorker(tunnelId, client, new TunnelWorkerConfig(processor)));
    }
  }

  @Override
  public void start() {
    workers.forEach(TunnelWorker::connectAndWorking);
  }

  @Override
  public Optional<String> trouble() {
    return workers.stream()
        .map(TunnelWorker::status)
        .filter(status -> status.state() == TunnelWorkerStatus.State.WORKER_HALT)
        .map(status -> status.lastError().orElse("for no known reason"))
        .findFirst();
  }

  @Override
  public void close() {
    try {
      workers.forEach(TunnelWorker::shutdown);
      var unused = clients.get(0).deleteTunnel(new DeleteTunnelRequest(table, tunnel));
    } finally {
      clients.forEach(TunnelClient::close);
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
        amounts += record.value("amount").orElseThrow().asLong();
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
