package io.tunnel.flink.source;

import io.tunnel.flink.ChangeRecord;
import io.tunnel.flink.ChangeRecordTypeInfo;
import io.tunnel.sdk.processor.StreamRecord;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

/** Converts the SDK's record to a {@link ChangeRecord}. */
public final class ChangeRecordDeserializationSchema
    implements TunnelDeserializationSchema<ChangeRecord> {

  private static final long serialVersionUID = 1L;

  @Override
  public void deserialize(StreamRecord record, Collector<ChangeRecord> out) {
    out.collect(ChangeRecord.of(record));
  }

  @Override
  public TypeInformation<ChangeRecord> getProducedType() {
    return new ChangeRecordTypeInfo();
  }
}
