package io.tunnel.flink.source;

import io.tunnel.flink.source.enumerator.EnumeratorState;
import io.tunnel.flink.source.enumerator.EnumeratorStateSerializer;
import io.tunnel.flink.source.enumerator.ServiceLookup;
import io.tunnel.flink.source.enumerator.TunnelEnumerator;
import io.tunnel.flink.source.reader.ReaderParts;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.flink.source.split.TunnelSplitSerializer;
import java.util.Objects;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Rows and changes of a table. A partition of the table is a split, read in order; event time is
 * commit time; Flink's checkpoints hold the positions.
 *
 * <pre>{@code
 * TunnelSource<String> source =
 *     TunnelSource.builder(new JsonDeserializationSchema())
 *         .endpoint("localhost:7650")
 *         .table("orders")
 *         .type(TunnelType.BaseAndStream)
 *         .build();
 * }</pre>
 *
 * @param <T> the elements of the schema
 */
public final class TunnelSource<T>
    implements Source<T, TunnelSplit, EnumeratorState>, ResultTypeQueryable<T> {

  private static final long serialVersionUID = 1L;

  private final SourceSettings settings;
  private final TunnelDeserializationSchema<T> schema;

  TunnelSource(SourceSettings settings, TunnelDeserializationSchema<T> schema) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.schema = Objects.requireNonNull(schema, "schema");
  }

  /** Starts to describe a source. */
  public static <T> TunnelSourceBuilder<T> builder(TunnelDeserializationSchema<T> schema) {
    return new TunnelSourceBuilder<>(schema);
  }

  @Override
  public Boundedness getBoundedness() {
    return settings.isBounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<T, TunnelSplit> createReader(SourceReaderContext context) throws Exception {
    schema.open(
        new DeserializationSchema.InitializationContext() {
          @Override
          public MetricGroup getMetricGroup() {
            return context.metricGroup().addGroup("deserializer");
          }

          @Override
          public UserCodeClassLoader getUserCodeClassLoader() {
            return context.getUserCodeClassLoader();
          }
        });
    return ReaderParts.reader(settings, schema, context);
  }

  @Override
  public SplitEnumerator<TunnelSplit, EnumeratorState> createEnumerator(
      SplitEnumeratorContext<TunnelSplit> context) {
    return restoreEnumerator(context, EnumeratorState.EMPTY);
  }

  @Override
  public SplitEnumerator<TunnelSplit, EnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<TunnelSplit> context, EnumeratorState state) {
    return new TunnelEnumerator(context, settings, new ServiceLookup(settings.table()), state);
  }

  @Override
  public SimpleVersionedSerializer<TunnelSplit> getSplitSerializer() {
    return new TunnelSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
    return new EnumeratorStateSerializer();
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return schema.getProducedType();
  }
}
