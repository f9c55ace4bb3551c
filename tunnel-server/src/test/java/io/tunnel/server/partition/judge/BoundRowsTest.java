package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class BoundRowsTest {

  private final Set<Long> alive = new HashSet<>();

  private static Bytes row(int partition, int key) {
    return Bytes.copyOf(new byte[] {0, 0, 0, (byte) partition, (byte) key});
  }

  private static Bytes key(long key) {
    return Bytes.copyOf(new byte[] {(byte) key});
  }

  /** Each session has a row in both partitions, whose key is the session. */
  private BoundRows rowsOf(int sessions) {
    Map<Bytes, Bytes> stored = new HashMap<>();
    for (int session = 1; session <= sessions; session++) {
      stored.put(row(1, session), SessionProof.encode(session));
      stored.put(row(2, session), SessionProof.encode(session));
    }
    return new BoundRows(stored, alive::contains);
  }

  private static List<Bytes> keys(long... keys) {
    return LongStream.of(keys).mapToObj(BoundRowsTest::key).toList();
  }

  @Test
  void rows_of_many_sessions_that_have_ended_come_in_one_batch_of_one_partition() {
    BoundRows bound = rowsOf(9);
    alive.addAll(List.of(2L, 5L));
    assertThat(bound.ended(512)).contains(new BoundRows.Ended(1, keys(1, 3, 4, 6, 7, 8, 9)));
    bound.drop(1);
    assertThat(bound.ended(512)).contains(new BoundRows.Ended(2, keys(1, 3, 4, 6, 7, 8, 9)));
    assertThat(bound.ended(3)).contains(new BoundRows.Ended(2, keys(1, 3, 4)));
  }

  @Test
  void no_row_comes_while_all_sessions_live() {
    BoundRows bound = rowsOf(3);
    alive.addAll(List.of(1L, 2L, 3L));
    assertThat(bound.ended(512)).isEmpty();
    assertThat(bound.hasEnded()).isFalse();
  }
}
