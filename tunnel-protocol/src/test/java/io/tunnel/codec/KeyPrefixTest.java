package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class KeyPrefixTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("a", PrimaryKeyType.STRING),
          new PrimaryKeySchema("n", PrimaryKeyType.INTEGER),
          new PrimaryKeySchema("b", PrimaryKeyType.BINARY));

  private static final String[] TEXTS = {"", "x", "\0", "x\0", "x\0y", "xy", "\0\0", "x\u00ff"};

  private static PrimaryKeyValue text(String text) {
    return PrimaryKeyValue.fromString(text);
  }

  private static boolean begins(Bytes key, Bytes prefix) {
    return prefix.length() <= key.length()
        && prefix.equals(Bytes.copyOf(key.toByteArray(), 0, prefix.length()));
  }

  @Test
  void a_key_begins_with_a_prefix_exactly_when_its_bytes_do() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 5_000; i++) {
      String a = TEXTS[random.nextInt(TEXTS.length)];
      long n = random.nextInt(3) - 1L;
      byte[] b = new byte[random.nextInt(3)];
      for (int at = 0; at < b.length; at++) {
        b[at] = (byte) (random.nextInt(3) - 1);
      }
      Bytes key =
          KeyCodec.encode(PrimaryKey.builder().add("a", a).add("n", n).add("b", b).build(), SCHEMA);
      String wantedA = TEXTS[random.nextInt(TEXTS.length)];
      long wantedN = random.nextInt(3) - 1L;
      requireAlike(key, a.startsWith(wantedA), List.of(), Optional.of(text(wantedA)));
      requireAlike(key, a.equals(wantedA), List.of(text(wantedA)), Optional.empty());
      requireAlike(
          key,
          a.equals(wantedA) && n == wantedN,
          List.of(text(wantedA), PrimaryKeyValue.fromLong(wantedN)),
          Optional.empty());
      byte[] first = {0};
      requireAlike(
          key,
          a.equals(wantedA) && n == wantedN && b.length > 0 && b[0] == 0,
          List.of(text(wantedA), PrimaryKeyValue.fromLong(wantedN)),
          Optional.of(PrimaryKeyValue.fromBinary(first)));
      requireAlike(key, true, List.of(), Optional.empty());
    }
  }

  private static void requireAlike(
      Bytes key,
      boolean isExpected,
      List<PrimaryKeyValue> leading,
      Optional<PrimaryKeyValue> beginning) {
    Bytes prefix = KeyPrefix.of(leading, beginning, SCHEMA);
    KeyPrefix.require(prefix, SCHEMA);
    assertThat(begins(key, prefix))
        .as("%s begins with %s %s", key, leading, beginning)
        .isEqualTo(isExpected);
  }

  @Test
  void every_beginning_of_a_key_is_a_prefix() {
    Bytes key =
        KeyCodec.encode(
            PrimaryKey.builder().add("a", "x\0y").add("n", 7).add("b", new byte[] {0, 1}).build(),
            SCHEMA);
    for (int bytes = 0; bytes <= key.length(); bytes++) {
      KeyPrefix.require(Bytes.copyOf(key.toByteArray(), 0, bytes), SCHEMA);
    }
  }

  @Test
  void what_no_key_begins_with_is_refused() {
    List<Bytes> wrong = new ArrayList<>();
    wrong.add(Bytes.fromHex("03"));
    wrong.add(Bytes.fromHex("05780005"));
    wrong.add(Bytes.fromHex("0578000380000000000000070701000a"));
    for (Bytes prefix : wrong) {
      assertThatThrownBy(() -> KeyPrefix.require(prefix, SCHEMA))
          .as(prefix.toString())
          .isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(
            () -> KeyPrefix.of(List.of(PrimaryKeyValue.fromLong(1)), Optional.empty(), SCHEMA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'a' is STRING");
    assertThatThrownBy(
            () ->
                KeyPrefix.of(List.of(text("x")), Optional.of(PrimaryKeyValue.fromLong(1)), SCHEMA))
        .hasMessageContaining("numbers have no prefixes");
    assertThatThrownBy(
            () ->
                KeyPrefix.of(
                    List.of(
                        text("x"),
                        PrimaryKeyValue.fromLong(1),
                        PrimaryKeyValue.fromBinary(new byte[0])),
                    Optional.empty(),
                    SCHEMA))
        .hasMessageContaining("name the complete key as a key");
  }
}
