package io.tunnel.stress.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.ColumnValue;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class Hash64Test {

  @Test
  void every_prefix_and_every_flipped_bit_gives_another_hash() {
    byte[] bytes = new byte[40];
    new Random(1).nextBytes(bytes);
    Set<Long> hashes = new HashSet<>();
    for (int length = 0; length <= bytes.length; length++) {
      hashes.add(Hash64.of(Arrays.copyOf(bytes, length)));
    }
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      hashes.add(Hash64.of(flipped));
    }
    assertThat(hashes).hasSize(41 + 320);
  }

  @Test
  void trailing_zeros_and_types_count() {
    assertThat(Hash64.of(new byte[3])).isNotEqualTo(Hash64.of(new byte[4]));
    List<ColumnValue> values =
        List.of(
            ColumnValue.fromLong(1),
            ColumnValue.fromDouble(1),
            ColumnValue.fromBoolean(true),
            ColumnValue.fromString("1"),
            ColumnValue.fromBinary(new byte[] {'1'}));
    assertThat(values.stream().map(Hash64::of).distinct()).hasSize(5);
  }

  @Test
  void a_chain_depends_on_its_order() {
    assertThat(Hash64.chain(Hash64.chain(0, 1), 2))
        .isNotEqualTo(Hash64.chain(Hash64.chain(0, 2), 1));
  }

  @Test
  void hashes_are_the_same_on_every_machine_and_in_every_version() {
    assertThat(Hash64.of("tunnel")).isEqualTo(8082788603153428580L);
  }
}
