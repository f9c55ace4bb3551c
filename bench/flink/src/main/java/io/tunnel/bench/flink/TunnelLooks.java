package io.tunnel.bench.flink;

import io.tunnel.flink.ChangeRecord;
import io.tunnel.flink.source.ChangeRecordDeserializationSchema;
import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/** What our source makes of a change: {@link KafkaLooks}' counterpart. */
final class TunnelLooks {

  private static final int AMOUNT_COLUMN = 1;

  private TunnelLooks() {}

  /** Gives one small value for each record. */
  static final class Count implements TunnelDeserializationSchema<Integer> {

    private static final long serialVersionUID = 1L;

    private final String count;
    private transient RowTally tally;

    Count(String count) {
      this.count = count;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      tally = Counts.tally(count);
    }

    @Override
    public void deserialize(StreamRecord record, Collector<Integer> out) {
      tally.row(0);
      out.collect(1);
    }

    @Override
    public TypeInformation<Integer> getProducedType() {
      return Types.INT;
    }
  }

  /** Decodes whole changes, with the schema of the connector. */
  static final class Decode implements TunnelDeserializationSchema<ChangeRecord> {

    private static final long serialVersionUID = 1L;

    private final ChangeRecordDeserializationSchema all = new ChangeRecordDeserializationSchema();
    private final String count;
    private transient Counted counted;

    Decode(String count) {
      this.count = count;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) throws Exception {
      all.open(context);
      counted = new Counted(Counts.tally(count));
    }

    @Override
    public void deserialize(StreamRecord record, Collector<ChangeRecord> out) throws IOException {
      counted.out = out;
      all.deserialize(record, counted);
    }

    @Override
    public TypeInformation<ChangeRecord> getProducedType() {
      return all.getProducedType();
    }
  }

  private static final class Counted implements Collector<ChangeRecord> {

    private final RowTally tally;
    private Collector<ChangeRecord> out;

    Counted(RowTally tally) {
      this.tally = tally;
    }

    @Override
    public void collect(ChangeRecord change) {
      tally.row(change.columns().get(AMOUNT_COLUMN).getColumn().getValue().asLong());
      out.collect(change);
    }

    @Override
    public void close() {
      // What is written to is Flink's.
    }
  }
}
