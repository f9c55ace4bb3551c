package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordHeaderTest {

  private static final Bytes KEY = Bytes.fromHex("0102");
  private static final Optional<Bytes> VALUE = Optional.of(KEY);

  private static Bytes list(int number) {
    ByteSink sink = new ByteSink(8);
    Attributes.write(sink, number, KEY);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Entry read(byte[] header) {
    return RecordHeader.decode(header, KEY, VALUE);
  }

  @ParameterizedTest
  @EnumSource(value = Kind.class, names = "NEWER", mode = EnumSource.Mode.EXCLUDE)
  void every_kind_comes_back_with_its_attributes(Kind kind) {
    long micros = kind == Kind.REPAIR ? 77 : 0;
    for (Bytes attributes : new Bytes[] {Bytes.EMPTY, list(1_000)}) {
      Entry entry = new Entry(kind, KEY, Long.MAX_VALUE, Long.MIN_VALUE, VALUE, micros, attributes);
      assertThat(read(RecordHeader.encode(entry))).isEqualTo(entry);
      RecordHeader.requireKnown(entry);
    }
  }

  private static void assertNewer(byte[] header, String why) {
    Entry entry = read(header);
    assertThat(entry.kind()).isEqualTo(Kind.NEWER);
    assertThat(RecordHeader.encode(entry)).as("its bytes stay").isEqualTo(header);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> RecordHeader.requireKnown(entry))
        .withMessageContaining(why);
  }

  @Test
  void what_a_newer_build_says_is_named() {
    byte[] good = RecordHeader.encode(new Entry(Kind.CHANGE, KEY, 5, 6, VALUE));
    for (int kind : new int[] {0, 4, 255}) {
      byte[] other = good.clone();
      other[1] = (byte) kind;
      assertNewer(other, "a record of kind " + kind + ", which this build does not know");
    }
    byte[] form = good.clone();
    form[0] = 2;
    assertNewer(form, "a record with a header of form 2, which this build does not know");
    Entry must = new Entry(Kind.CHANGE, KEY, 5, 6, VALUE, 0, list(5));
    assertNewer(RecordHeader.encode(must), "attribute 5 (expiry) of a row");
    assertThatExceptionOfType(NewerFormatException.class)
        .isThrownBy(() -> RecordHeader.requireKnown(read(form)))
        .withMessageContaining("upgrade this one");
  }

  @Test
  void a_header_that_is_cut_off_is_held_back_too() {
    byte[] repair = RecordHeader.encode(new Entry(Kind.REPAIR, KEY, 5, 6, VALUE, 7, list(1_000)));
    for (int length = 0; length < repair.length; length++) {
      byte[] cut = Arrays.copyOf(repair, length);
      if (length != repair.length - list(1_000).length()) {
        assertNewer(cut, length < 18 ? "header of " + length + " bytes" : "");
      }
    }
  }

  @Test
  void no_bits_make_a_record_of_a_node_that_of_a_stranger() {
    Random random = new Random(27);
    byte[] good = RecordHeader.encode(new Entry(Kind.CHANGE, KEY, 5, 6, VALUE, 0, list(1_000)));
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = good.clone();
      int bit = random.nextInt(8 * bytes.length);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      Entry entry = read(bytes);
      assertThat(entry.epoch()).as("a stranger's").isNotEqualTo(Long.MIN_VALUE);
      assertThat(RecordHeader.encode(entry)).isEqualTo(bytes);
    }
  }
}
