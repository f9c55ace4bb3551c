package io.tunnel.programs.bench.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.SourceRow;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KafkaRowTest {

  @Test
  void what_was_encoded_is_decoded() {
    SourceRow row = new RowSource(41).next();
    byte[] key = KafkaRow.key(row);
    byte[] value = KafkaRow.value(row);

    assertThat(KafkaRow.row(key, value)).isEqualTo(row);
    assertThat(KafkaRow.sequence(key)).isEqualTo(41);
    assertThat(KafkaRow.amount(value)).isEqualTo(row.amount());
    long digest =
        (long) Arrays.hashCode(row.hash().toByteArray())
            + row.user().hashCode()
            + row.device().hashCode()
            + Long.hashCode(41)
            + row.payload().length();
    assertThat(KafkaRow.decode(key, value)).isEqualTo(new KafkaRow.Decoded(row.amount(), digest));
  }

  @Test
  void rows_are_the_same_every_time() {
    assertThat(new RowSource(5).next()).isEqualTo(new RowSource(5).next());
  }
}
