package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.replica.history.EpochHistory;
import io.tunnel.server.replica.history.LeaderEpochs;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.ReplicaState.Standing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredReplicaTest {

  private static StoredReplica state(NavigableMap<Bytes, Long> unrepaired) {
    ReplicaState replica = new ReplicaState(90, 70, Standing.BROKEN, 5, 60, unrepaired);
    EpochHistory epochHistory =
        new EpochHistory(
            7,
            List.of(
                new EpochHistory.Stretch(9, -1, Long.MAX_VALUE),
                new EpochHistory.Stretch(40, 40, 51)));
    LeaderEpochs epochs =
        new LeaderEpochs(
            List.of(new IncarnationHistory.Start(1, 0), new IncarnationHistory.Start(6, 81)));
    return new StoredReplica(
        replica, 88, 1_234_567, 61, 777, Bytes.fromHex("c0ffee"), epochHistory, epochs);
  }

  @Test
  void a_state_comes_back() {
    TreeMap<Bytes, Long> unrepaired = new TreeMap<>();
    unrepaired.put(Bytes.EMPTY, 3L);
    unrepaired.put(Bytes.fromHex("01ff"), 80L);
    StoredReplica state = state(unrepaired);
    assertThat(StoredReplica.decode(state.encode())).isEqualTo(state);
    assertThat(StoredReplica.decode(StoredReplica.EMPTY.encode())).isEqualTo(StoredReplica.EMPTY);
  }

  @Test
  void a_state_is_these_bytes_and_no_other_format_is_read() {
    StoredReplica state = state(new TreeMap<>(Collections.singletonMap(Bytes.fromHex("ab"), 80L)));
    String epochs =
        "00000002" + "00000000000000010000000000000000" + "00000000000000060000000000000051";
    assertThat(state.encode().toString()).isEqualTo("04" + BEFORE_EPOCHS + epochs);
    for (String other :
        List.of(
            "03" + BEFORE_EPOCHS + epochs, "05" + BEFORE_EPOCHS + epochs, "04" + BEFORE_EPOCHS)) {
      assertThatThrownBy(() -> StoredReplica.decode(Bytes.fromHex(other)))
          .isInstanceOf(MalformedException.class);
    }
  }

  private static final String BEFORE_EPOCHS =
      "01"
          + "000000000000005a"
          + "0000000000000046"
          + "0000000000000005"
          + "000000000000003c"
          + "0000000000000058"
          + "000000000012d687"
          + "000000000000003d"
          + "0000000000000309"
          + "03c0ffee"
          + "00000001"
          + "01ab0000000000000050"
          + "0000000000000007"
          + "00000002"
          + "0000000000000009ffffffffffffffff7fffffffffffffff"
          + "000000000000002800000000000000280000000000000033";

  @ParameterizedTest
  @CsvSource({
    "CERTAIN, 5, 00, 0000000000000005",
    "BROKEN, 5, 01, 0000000000000005",
    "HOLE, 0, 00, ffffffffffffffff",
    "DOUBTFUL, 5, 00, fffffffffffffff9",
    "BROKEN_BEHIND_HOLE, 0, 01, ffffffffffffffff"
  })
  void what_is_known_of_an_epoch_is_stored_in_the_sign_of_a_sequence(
      Standing standing, long sequence, String broken, String stored) {
    ReplicaState replica = new ReplicaState(90, 70, standing, sequence, 60, new TreeMap<>());
    StoredReplica state =
        new StoredReplica(replica, 0, 0, 0, 0, Bytes.EMPTY, EpochHistory.NONE, LeaderEpochs.NONE);
    assertThat(state.encode().toString()).startsWith("04" + broken).contains(stored);
    assertThat(StoredReplica.decode(state.encode())).isEqualTo(state);
  }

  @Test
  void as_many_reigns_can_be_remembered_as_the_limit_says() {
    List<EpochHistory.Stretch> all = new ArrayList<>();
    for (int i = 0; i < EpochHistory.STRETCHES_MAX; i++) {
      all.add(new EpochHistory.Stretch(i, i, Long.MAX_VALUE));
    }
    StoredReplica state =
        new StoredReplica(
            ReplicaState.EMPTY,
            0,
            0,
            0,
            0,
            Bytes.EMPTY,
            new EpochHistory(0, all),
            LeaderEpochs.NONE);
    assertThat(StoredReplica.decode(state.encode())).isEqualTo(state);
    all.add(new EpochHistory.Stretch(EpochHistory.STRETCHES_MAX, 0, Long.MAX_VALUE));
    assertThatThrownBy(() -> new EpochHistory(0, all)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void what_is_cut_off_is_refused() {
    TreeMap<Bytes, Long> unrepaired = new TreeMap<>();
    unrepaired.put(Bytes.fromHex("01ff"), 80L);
    byte[] bytes = state(unrepaired).encode().toByteArray();
    for (int length = 0; length < bytes.length; length++) {
      Bytes cut = Bytes.copyOf(bytes, 0, length);
      assertThatThrownBy(() -> StoredReplica.decode(cut))
          .as("%d bytes", length)
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void as_many_keys_can_be_remembered_as_the_limit_says() {
    TreeMap<Bytes, Long> unrepaired = new TreeMap<>();
    for (int i = 0; i < StoredReplica.UNREPAIRED_MAX; i++) {
      byte[] key = {(byte) (i >>> 16), (byte) (i >>> 8), (byte) i};
      unrepaired.put(Bytes.copyOf(key), 80L);
    }
    StoredReplica full = state(unrepaired);
    assertThat(StoredReplica.decode(full.encode()).replica().unrepaired())
        .hasSize(StoredReplica.UNREPAIRED_MAX);
    unrepaired.put(Bytes.fromHex("ffffffff"), 80L);
    StoredReplica over = state(unrepaired);
    assertThatThrownBy(over::encode)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1000001");
  }
}
