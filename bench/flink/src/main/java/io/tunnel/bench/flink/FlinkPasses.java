package io.tunnel.bench.flink;

import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.programs.bench.peer.Look;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A bounded job for each pass, from the earliest row to the latest, into nothing. */
final class FlinkPasses implements PassRunner {

  private final LegOrder order;
  private final LocalFlink flink;

  FlinkPasses(LegOrder order) throws Exception {
    this.order = order;
    this.flink = LocalFlink.start(order.parallelism());
  }

  @Override
  public void run(String name, RowCount count) throws Exception {
    boolean isDecoding = order.look() == Look.DECODE;
    StreamExecutionEnvironment job =
        switch (order.reader()) {
          case TUNNEL ->
              isDecoding
                  ? job(tunnel(new TunnelLooks.Decode(name)))
                  : job(tunnel(new TunnelLooks.Count(name)));
          case KAFKA ->
              isDecoding
                  ? job(kafka(new KafkaLooks.Decode(name)))
                  : job(
                      kafka(
                          KafkaRecordDeserializationSchema.valueOnly(new KafkaLooks.Count(name))));
          case WORKER -> throw new IllegalArgumentException("a worker is not Flink's");
        };
    JobID id = flink.submit(job, Optional.empty());
    flink.awaitEnd(id, SECONDS_MAX);
  }

  private <T> Source<T, ?, ?> tunnel(TunnelDeserializationSchema<T> schema) {
    LegOrder.Table table = order.table();
    return Sources.tunnel(table.endpoint(), table.name(), schema).endAt(EndAt.latest()).build();
  }

  private <T> Source<T, ?, ?> kafka(KafkaRecordDeserializationSchema<T> schema) {
    LegOrder.Table table = order.table();
    return Sources.kafka(table.endpoint(), table.name(), schema)
        .setBounded(OffsetsInitializer.latest())
        .build();
  }

  private <T> StreamExecutionEnvironment job(Source<T, ?, ?> source) {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    // Nothing is copied between source and sink, so that no serialiser is measured.
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    StreamExecutionEnvironment job =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    job.setParallelism(order.parallelism());
    job.fromSource(source, WatermarkStrategy.noWatermarks(), "rows").sinkTo(new DiscardingSink<>());
    return job;
  }

  @Override
  public void close() {
    flink.close();
  }
}
