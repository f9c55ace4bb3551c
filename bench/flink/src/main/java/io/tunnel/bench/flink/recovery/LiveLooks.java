package io.tunnel.bench.flink.recovery;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What the sources of a job that recovers make of a row. */
final class LiveLooks {

  private LiveLooks() {}

  /** Of our change, whose positions count from 1. */
  static final class OfTunnel implements TunnelDeserializationSchema<SeenRow> {

    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(StreamRecord record, Collector<SeenRow> out) {
      out.collect(
          new SeenRow(
              record.partition(),
              record.position(),
              TimeUnit.MICROSECONDS.toMillis(record.commitMicros())));
    }

    @Override
    public TypeInformation<SeenRow> getProducedType() {
      return TypeInformation.of(SeenRow.class);
    }
  }

  /** Of Kafka's record, whose offsets count from 0. */
  static final class OfKafka implements KafkaRecordDeserializationSchema<SeenRow> {

    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<SeenRow> out) {
      out.collect(new SeenRow(record.partition(), record.offset() + 1, record.timestamp()));
    }

    @Override
    public TypeInformation<SeenRow> getProducedType() {
      return TypeInformation.of(SeenRow.class);
    }
  }
}
