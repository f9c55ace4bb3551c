package io.tunnel.flink.source.reader;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.source.SourceSettings;
import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.table.TableInfo;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.fetcher.SingleThreadFetcherManager;
import org.apache.flink.util.clock.SystemClock;

/** Makes and joins the parts of a reader. */
public final class ReaderParts {

  private static final long LAST_REPORT_MS_MAX = 2_000;

  private ReaderParts() {}

  /** A reader of the settings' table; the schema is open. */
  public static <T> SourceReader<T, TunnelSplit> reader(
      SourceSettings settings, TunnelDeserializationSchema<T> schema, SourceReaderContext context) {
    ChannelFigures figures = new ChannelFigures(context.metricGroup(), SystemClock.getInstance());
    return new TunnelSourceReader<>(
        new SingleThreadFetcherManager<>(
            () -> new TunnelSplitReader(() -> open(settings), figures), context.getConfiguration()),
        new TunnelRecordEmitter<>(schema, figures),
        figures,
        settings.reports().map(tunnel -> reports(settings.table(), tunnel)),
        context);
  }

  private static PartitionSource open(SourceSettings settings) {
    TunnelOptions options = settings.table();
    TableInfo table;
    try (TableClient client = TableClient.connect(options.clientConfig())) {
      table = client.partitionMap(options.table());
    }
    return PartitionSource.of(
        new PartitionReader(options.clientConfig(), table, settings.reading().readerConfig()));
  }

  private static CheckpointReports reports(TunnelOptions options, String tunnel) {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread reporter = new Thread(task, "tunnel-reports");
              reporter.setDaemon(true);
              return reporter;
            });
    TunnelReports target = new TunnelReports(options, tunnel);
    return new CheckpointReports(
        new CheckpointReports.Target() {
          @Override
          public void report(List<ChannelPosition> positions) {
            target.report(positions);
          }

          @Override
          public void close() {
            letEnd(thread);
            target.close();
          }
        },
        thread);
  }

  /** Lets a last report end: a job's last checkpoint completes just before its readers close. */
  private static void letEnd(ExecutorService thread) {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LAST_REPORT_MS_MAX, TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
