package io.tunnel.flink.source;

import io.tunnel.sdk.processor.StreamRecord;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** The column "value" of each record. */
final class ReadRow implements TunnelDeserializationSchema<String> {

  private static final long serialVersionUID = 1L;

  @Override
  public void deserialize(StreamRecord record, Collector<String> out) {
    out.collect(record.value("value").orElseThrow().asString());
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }
}
