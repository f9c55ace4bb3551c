package io.tunnel.sdk.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The vectors were computed by another program (Python); docs/concepts/semantics.md lists them,
 * too.
 */
final class HashedKeyTest {

  @ParameterizedTest
  @CsvSource({
    "'',00000000",
    "test,ba6bd213", // The published vector of MurmurHash3_x86_32 with seed 0.
    "'Hello, world!',c0363e43",
    "user-14066,5adf392c",
    "Köln,33a611fb"
  })
  void a_string_is_hashed_as_its_utf8(String text, String hash) {
    assertThat(hashOf(PrimaryKeyValue.fromString(text))).isEqualTo(hash);
  }

  @ParameterizedTest
  @CsvSource({"7,7c1450ca", "-1,627564e8", "-9223372036854775808,1174b9a2"})
  void an_integer_is_hashed_as_eight_bytes_in_big_endian_order(long number, String hash) {
    assertThat(hashOf(PrimaryKeyValue.fromLong(number))).isEqualTo(hash);
  }

  @Test
  void a_binary_is_hashed_as_it_is() {
    PrimaryKeyValue value = PrimaryKeyValue.fromBinary(Bytes.fromHex("00ff12").toByteArray());
    assertThat(hashOf(value)).isEqualTo("e809c27d");
  }

  @Test
  void a_zero_byte_stands_between_columns() {
    PrimaryKeyValue ada = PrimaryKeyValue.fromString("Ada");
    assertThat(hashOf(ada, PrimaryKeyValue.fromLong(7))).isEqualTo("1a17774d");
    assertThat(hashOf(text("a"), text("bc"))).isEqualTo("94fc5ad0");
    assertThat(hashOf(text("ab"), text("c"))).isEqualTo("3831f7bc");
    assertThat(hashOf(text("u"), PrimaryKeyValue.fromLong(1L << 40), text("order")))
        .isEqualTo("b0837183");
  }

  @Test
  void the_hash_leads_the_key_under_the_name_that_the_table_gives_it() {
    PrimaryKeyColumn uid = new PrimaryKeyColumn("uid", text("user-14066"));
    PrimaryKey expected =
        PrimaryKey.builder()
            .add("hash", Bytes.fromHex("5adf392c").toByteArray())
            .add("uid", "user-14066")
            .build();
    assertThat(HashedKey.of(uid)).isEqualTo(expected);
    assertThat(HashedKey.of("h", List.of(uid)).getPrimaryKeyColumn(0).getName()).isEqualTo("h");
    assertThatThrownBy(() -> HashedKey.of()).hasMessageContaining("needs a column");
  }

  @Test
  void a_hashed_key_is_recognised_by_the_name_and_type_of_its_first_column() {
    PrimaryKeySchema uid = new PrimaryKeySchema("uid", PrimaryKeyType.STRING);
    PrimaryKeySchema digest = new PrimaryKeySchema("digest", PrimaryKeyType.BINARY);
    PrimaryKeySchema text = new PrimaryKeySchema("hash", PrimaryKeyType.STRING);
    assertThat(HashedKey.isHashed(HashedKey.schema(uid))).isTrue();
    assertThat(HashedKey.isHashed(HashedKey.schema())).isFalse();
    assertThat(HashedKey.isHashed(List.of(text, uid))).isFalse();
    assertThat(HashedKey.isHashed(List.of(digest, uid))).isFalse();
    assertThat(HashedKey.canBeHashed(List.of(digest, uid))).isTrue();
    assertThat(HashedKey.canBeHashed(List.of(uid, digest))).isFalse();
  }

  @Test
  void split_points_divide_the_hashes_evenly() {
    assertThat(HashedKey.splitPoints(4))
        .extracting(Object::toString)
        .containsExactly("40000000", "80000000", "c0000000");
    assertThat(HashedKey.splitPoints(1)).isEmpty();
    assertThat(HashedKey.splitPoints(Limits.TABLE_PARTITIONS_MAX))
        .hasSize(Limits.TABLE_PARTITIONS_MAX - 1)
        .doesNotHaveDuplicates();
    assertThatThrownBy(() -> HashedKey.splitPoints(Limits.TABLE_PARTITIONS_MAX + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** 100,000 consecutive names over 64 partitions: 1,562 each, give or take five deviations. */
  @Test
  void hashes_of_similar_names_spread_evenly() {
    int[] rows = new int[64];
    for (int i = 0; i < 100_000; i++) {
      rows[(HashedKey.hash(List.of(text("user-" + i))).at(0) + 128) >> 2]++;
    }
    assertThat(rows)
        .satisfies(
            all -> {
              for (int count : all) {
                assertThat(count).isBetween(1_362, 1_762);
              }
            });
  }

  private static PrimaryKeyValue text(String value) {
    return PrimaryKeyValue.fromString(value);
  }

  private static String hashOf(PrimaryKeyValue... rest) {
    return HashedKey.hash(List.of(rest)).toString();
  }
}
