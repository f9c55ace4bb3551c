package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Level;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AttributesTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  /**
   * Numbers of no feature: a number that readers may skip, and a number that readers must
   * understand.
   */
  private static final int SKIPPED = 1_000;

  private static final int REFUSED = 1_001;

  private static RowChange row(long id) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column("a", ColumnValue.fromLong(id)), new Column("b", text(id))),
        RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  private static ColumnValue text(long id) {
    return ColumnValue.fromString("t" + id);
  }

  private static Bytes list(int... numbers) {
    ByteSink sink = new ByteSink(16);
    for (int number : numbers) {
      Attributes.write(sink, number, Bytes.fromHex("0a0b"));
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** Two rows, the second with the attributes of {@code row}. */
  private static byte[] batch(Bytes batch, Bytes row) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    builder.setAttributes(batch);
    assertThat(builder.add(row(1))).isTrue();
    assertThat(builder.addWithin(Limits.BATCH_BYTES_MAX, row(2), row)).isTrue();
    byte[] bytes = builder.build(7);
    assertThat(bytes.length).isEqualTo(builder.byteCount());
    return bytes;
  }

  private static void walk(byte[] bytes) {
    ChangeBatch parsed = ChangeBatch.parse(bytes, 0, bytes.length);
    RowCursor rows = parsed.rows();
    while (rows.next()) {
      ColumnCursor columns = rows.columns();
      while (columns.next()) {
        parsed.name(columns.nameIndex());
        if (!columns.isDelete()) {
          columns.value();
        }
      }
    }
  }

  @Test
  void what_has_no_attributes_has_the_bytes_that_it_had() {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    builder.add(row(1));
    builder.add(row(2));
    assertThat(batch(Bytes.EMPTY, Bytes.EMPTY)).isEqualTo(builder.build(7));
    int without = builder.build(7).length;
    assertThat(batch(list(SKIPPED), Bytes.EMPTY)).hasSize(without + 5 + Attributes.LENGTH_BYTES);
    assertThat(batch(Bytes.EMPTY, list(SKIPPED))).hasSize(without + 5 + Attributes.LENGTH_BYTES);
  }

  @Test
  void a_reader_skips_what_may_be_skipped_and_finds_its_bytes() {
    byte[] bytes = batch(list(2_000, 2_002), list(SKIPPED));
    ChangeBatch parsed = ChangeBatch.parse(bytes, 0, bytes.length);
    assertThat(parsed.attributes()).isEqualTo(list(2_000, 2_002));
    assertThat(parsed.name(0)).isEqualTo("a");
    assertThat(parsed.nameIndex("b")).isEqualTo(1);
    RowCursor row = parsed.rows();
    assertThat(row.next()).isTrue();
    assertThat(row.attributes()).isEqualTo(Bytes.EMPTY);
    assertThat(row.next()).isTrue();
    assertThat(row.condition()).isEqualTo(RowExistenceExpectation.EXPECT_NOT_EXIST);
    assertThat(row.attributes()).isEqualTo(list(SKIPPED));
    assertThat(
            RowCursor.columnsEndBefore(bytes, row.keyOffset(), row.columnsOffset(), row.rowEnd()))
        .isEqualTo(row.columnsEnd());
    byte[] found = row.attributes().toByteArray();
    assertThat(Attributes.find(SKIPPED, found, 0, found.length))
        .isEqualTo(Optional.of(Bytes.fromHex("0a0b")));
    assertThat(Attributes.find(SKIPPED + 2, found, 0, found.length)).isEmpty();
    ColumnCursor columns = row.columns();
    assertThat(columns.next()).isTrue();
    assertThat(columns.next()).isTrue();
    assertThat(columns.value()).isEqualTo(text(2));
    assertThat(columns.next()).isFalse();
    assertThat(row.next()).isFalse();
  }

  @Test
  void a_reader_refuses_by_name_what_must_be_understood() {
    assertThatExceptionOfType(NewerFormatException.class)
        .isThrownBy(() -> walk(batch(list(REFUSED), Bytes.EMPTY)))
        .withMessageContaining("attribute 1001 of a batch")
        .withMessageContaining("upgrade this one");
    assertThatExceptionOfType(NewerFormatException.class)
        .isThrownBy(() -> walk(batch(Bytes.EMPTY, list(SKIPPED, REFUSED))))
        .withMessageContaining("attribute 1001 of a row");
    assertThatExceptionOfType(NewerFormatException.class)
        .isThrownBy(() -> walk(batch(Bytes.EMPTY, list(FormatFeature.ROW_EXPIRY.number()))))
        .withMessageContaining("attribute 5 (expiry) of a row");
  }

  @Test
  void the_server_that_takes_a_write_refuses_also_what_others_may_skip() {
    for (byte[] bytes :
        List.of(batch(list(SKIPPED), Bytes.EMPTY), batch(Bytes.EMPTY, list(SKIPPED)))) {
      ChangeBatch parsed = ChangeBatch.parse(bytes, 0, bytes.length);
      assertThatThrownBy(() -> new BatchValidator(SCHEMA).require(parsed, Bytes.EMPTY, Bytes.EMPTY))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("attribute 1000 of a ")
          .hasMessageContaining("upgrade this one");
    }
  }

  @Test
  void a_list_that_is_none_is_refused_and_never_read_beyond_its_end() {
    for (String list : List.of("80", "02", "0202ff", "020000", "0200" + "0200", "0400" + "0200")) {
      byte[] bytes = Bytes.fromHex(list).toByteArray();
      assertThatExceptionOfType(MalformedException.class)
          .as(list)
          .isThrownBy(() -> Attributes.requireUnderstood(Place.ROW, bytes, 0, bytes.length));
    }
    byte[] row = batch(Bytes.EMPTY, list(SKIPPED));
    byte[] whole = batch(list(SKIPPED), Bytes.EMPTY);
    for (int length : new int[] {0, -1, 1 << 20, Integer.MIN_VALUE}) {
      byte[] badBatch = whole.clone();
      Binary.putInt(badBatch, whole.length - 4, length);
      BatchBuilder.stamp(badBatch, 0, 0, 0);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> walk(badBatch));
      byte[] badRow = row.clone();
      int rowEnd = ChangeBatch.parse(row, 0, row.length).dictionaryOffset();
      Binary.putInt(badRow, rowEnd - 4, length);
      BatchBuilder.stamp(badRow, 0, 0, 0);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> walk(badRow));
    }
  }

  @Test
  void flipped_bits_under_a_right_checksum_are_read_or_refused() {
    byte[] good = batch(list(SKIPPED), list(SKIPPED));
    Random random = new Random(27);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = good.clone();
      bytes[8 + random.nextInt(bytes.length - 8)] ^= (byte) (1 << random.nextInt(8));
      BatchBuilder.stamp(bytes, 0, 0, 0);
      try {
        walk(bytes);
      } catch (MalformedException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void a_batch_has_at_most_so_many_bytes_of_attributes() {
    ByteSink sink = new ByteSink(16);
    int most = (64 << 10) - Attributes.LENGTH_BYTES;
    Attributes.write(sink, SKIPPED, Bytes.copyOf(new byte[most - 5]));
    Bytes fits = Bytes.copyOf(sink.array(), 0, sink.size());
    assertThat(fits.length()).isEqualTo(most);
    walk(batch(fits, Bytes.EMPTY));
    sink.truncate(0);
    Attributes.write(sink, SKIPPED, Bytes.copyOf(new byte[most - 4]));
    Bytes over = Bytes.copyOf(sink.array(), 0, sink.size());
    assertThatThrownBy(() -> batch(over, Bytes.EMPTY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 65532");
  }

  @Test
  void a_number_stands_for_one_feature_of_its_place() {
    Set<String> numbers = new HashSet<>();
    for (FormatFeature feature : FormatFeature.values()) {
      assertThat(feature.number()).isPositive();
      assertThat(numbers.add(feature.place() + "/" + feature.number())).as("%s", feature).isTrue();
      assertThat(FormatFeature.of(feature.place(), feature.number())).contains(feature);
      assertThat(feature.isKnown()).isEqualTo(feature.level() <= Level.OWN);
    }
  }

  @Test
  void an_unknown_attribute_names_the_feature_for_which_its_number_is_reserved() {
    Map<Integer, Optional<FormatFeature>> reserved =
        Map.of(
            5,
            Optional.of(FormatFeature.ROW_EXPIRY),
            REFUSED,
            Optional.empty(),
            16_383,
            Optional.of(FormatFeature.TRIAL));
    reserved.forEach(
        (number, feature) ->
            assertThatExceptionOfType(NewerFormatException.class)
                .isThrownBy(() -> walk(batch(Bytes.EMPTY, list(number))))
                .matches(unknown -> unknown.feature().equals(feature))
                .matches(unknown -> unknown.code() == ErrorCode.FEATURE_NOT_ENABLED));
  }

  @Test
  void the_server_that_takes_a_write_tells_the_feature_of_a_higher_level() {
    byte[] bytes = batch(Bytes.EMPTY, list(2));
    assertThatExceptionOfType(NewerFormatException.class)
        .isThrownBy(
            () ->
                new BatchValidator(SCHEMA)
                    .require(ChangeBatch.parse(bytes, 0, bytes.length), Bytes.EMPTY, Bytes.EMPTY))
        .matches(unknown -> unknown.feature().isPresent());
  }

  @Test
  void the_highest_level_of_several_features_counts() {
    Optional<FormatFeature> none = Optional.empty();
    Optional<FormatFeature> one = Optional.of(FormatFeature.TRIAL);
    assertThat(FormatFeature.newest(none, none)).isEmpty();
    assertThat(FormatFeature.newest(none, one)).isEqualTo(one);
    assertThat(FormatFeature.newest(one, none)).isEqualTo(one);
  }
}
