package io.tunnel.flink.perf;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.perf.RecordWork;
import io.tunnel.sdk.processor.StreamRecord;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;

/** Makes of a record what is counted. */
final class SeenSchema implements TunnelDeserializationSchema<Seen> {

  private static final long serialVersionUID = 1L;

  private final boolean isTouching;
  private final long microsPerRecord;
  private final JobClock clock;
  private transient RecordWork work;
  private transient Seen seen;

  /** Does that with each record, too. */
  SeenSchema(RecordWork.Cost cost, JobClock clock) {
    this.isTouching = cost.isTouched();
    this.microsPerRecord = cost.microsPerRecord();
    this.clock = clock;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    work = new RecordWork(new RecordWork.Cost(isTouching, microsPerRecord), clock::nanos);
    seen = new Seen();
  }

  @Override
  public void deserialize(StreamRecord record, Collector<Seen> out) {
    work.on(record);
    seen.partition = record.partition();
    seen.commitMicros = record.commitMicros();
    seen.bytes = record.byteCount();
    out.collect(seen);
  }

  @Override
  public TypeInformation<Seen> getProducedType() {
    return TypeInformation.of(Seen.class);
  }
}
