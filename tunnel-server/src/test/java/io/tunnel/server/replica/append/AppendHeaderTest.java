package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AppendHeaderTest {

  private static final AppendHeader BATCHES =
      new AppendHeader(Kind.BATCHES, 7, -3, 2, 41, 20, 5, Bytes.EMPTY);

  @Test
  void a_header_has_the_bytes_of_the_page() {
    assertThat(Bytes.copyOf(BATCHES.encode()))
        .isEqualTo(
            Bytes.fromHex(
                "0102"
                    + "0000000000000007"
                    + "fffffffffffffffd"
                    + "0000000000000002"
                    + "0000000000000029"
                    + "00000014"
                    + "0000000000000005"));
    assertThat(AppendHeader.decode(BATCHES.encode())).isEqualTo(BATCHES);
    AppendHeader marker = AppendHeader.marker(99, 1_790_000_000_000L, AppendHeader.NO_SNAPSHOT);
    assertThat(AppendHeader.decode(marker.encode())).isEqualTo(marker);
  }

  private static byte[] with(int index, int value) {
    byte[] bytes = BATCHES.encode();
    bytes[index] = (byte) value;
    return bytes;
  }

  @Test
  void a_newer_form_kind_or_attribute_is_held_back_and_named() {
    assertThatThrownBy(() -> AppendHeader.decode(with(0, 2)))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("form 2");
    assertThatThrownBy(() -> AppendHeader.decode(with(1, 6)))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("seals a partition");
    assertThatThrownBy(() -> AppendHeader.decode(with(1, 77)))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("kind 77");
    byte[] odd = Arrays.copyOf(BATCHES.encode(), BATCHES.encode().length + 2);
    odd[odd.length - 2] = 3;
    assertThatThrownBy(() -> AppendHeader.decode(odd)).isInstanceOf(NewerFormatException.class);
    byte[] even = odd.clone();
    even[even.length - 2] = 2;
    AppendHeader kept = AppendHeader.decode(even);
    assertThat(kept.encode()).as("an attribute that may be skipped stays").isEqualTo(even);
  }

  @Test
  void a_header_that_no_build_writes_is_malformed() {
    assertThatThrownBy(() -> AppendHeader.decode(new byte[0]))
        .isInstanceOf(MalformedException.class);
    byte[] all = BATCHES.encode();
    for (int bytes = 1; bytes < all.length; bytes++) {
      byte[] cut = Arrays.copyOf(all, bytes);
      assertThatThrownBy(() -> AppendHeader.decode(cut))
          .isInstanceOf(MalformedException.class)
          .isNotInstanceOf(NewerFormatException.class);
    }
  }

  @Test
  void a_header_that_no_leader_writes_is_malformed() {
    assertThatThrownBy(() -> of(Kind.BATCHES, -1, 1, 1, 0)).hasMessageContaining("epoch -1");
    assertThatThrownBy(() -> of(Kind.BATCHES, 1, 0, 1, 0)).hasMessageContaining("number 0");
    assertThatThrownBy(() -> of(Kind.BATCHES, 1, 1, 0, 0)).hasMessageContaining("position 0");
    assertThatThrownBy(() -> of(Kind.BATCHES, 1, 1, 1, -1)).hasMessageContaining("changes -1");
    assertThatThrownBy(() -> of(Kind.TRIM, 1, 1, 1, 1)).hasMessageContaining("changes 1");
    assertThatThrownBy(() -> of(Kind.BATCHES, 1, 1, Long.MAX_VALUE, 1))
        .hasMessageContaining("position " + Long.MAX_VALUE);
    assertThatThrownBy(() -> of(Kind.MARKER, 3, 1, 0, 0)).hasMessageContaining("epoch 3");
  }

  private static AppendHeader of(Kind kind, long epoch, long number, long first, int changes) {
    return new AppendHeader(
        kind, epoch, 1, number, first, changes, AppendHeader.NO_SNAPSHOT, Bytes.EMPTY);
  }

  /** Any bytes are a header, or are refused as malformed or newer; nothing else happens. */
  @Test
  void any_bytes_are_read_or_refused() {
    Random chance = new Random(46);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = BATCHES.encode();
      if (chance.nextInt(4) == 0) {
        bytes = Arrays.copyOf(bytes, chance.nextInt(bytes.length + 20));
      }
      for (int flips = chance.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
        bytes[chance.nextInt(bytes.length)] = (byte) chance.nextInt();
      }
      try {
        assertThat(AppendHeader.decode(bytes).encode()).isEqualTo(bytes);
        read++;
      } catch (MalformedException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
    }
    assertThat(read).isBetween(10_000, 190_000);
  }
}
