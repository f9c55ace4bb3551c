package io.tunnel.bench.flink;

import io.tunnel.programs.bench.kafka.KafkaRow;
import io.tunnel.programs.bench.peer.SourceRow;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What Flink's source for Kafka makes of a record: {@link TunnelLooks}' counterpart. */
final class KafkaLooks {

  private KafkaLooks() {}

  /** Gives one small value for each record. */
  static final class Count implements DeserializationSchema<Integer> {

    private static final long serialVersionUID = 1L;

    private final String count;
    private transient RowTally tally;

    Count(String count) {
      this.count = count;
    }

    @Override
    public void open(InitializationContext context) {
      tally = Counts.tally(count);
    }

    @Override
    public Integer deserialize(byte[] value) {
      tally.row(0);
      return 1;
    }

    @Override
    public boolean isEndOfStream(Integer next) {
      return false;
    }

    @Override
    public TypeInformation<Integer> getProducedType() {
      return Types.INT;
    }
  }

  /** All of it, as Java values. */
  static final class Decode implements KafkaRecordDeserializationSchema<SourceRow> {

    private static final long serialVersionUID = 1L;

    private final String count;
    private transient RowTally tally;

    Decode(String count) {
      this.count = count;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      tally = Counts.tally(count);
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<SourceRow> out) {
      SourceRow row = KafkaRow.row(record.key(), record.value());
      tally.row(row.amount());
      out.collect(row);
    }

    @Override
    public TypeInformation<SourceRow> getProducedType() {
      return TypeInformation.of(SourceRow.class);
    }
  }
}
