package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExpiredRowsTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING));

  private static Bytes key(String value) {
    return KeyCodec.encode(PrimaryKey.builder().add("k", value).build(), SCHEMA);
  }

  @Test
  void a_batch_says_of_each_key_that_its_row_has_expired() {
    List<Bytes> keys = List.of(key(""), key("a"), key("k".repeat(500)));
    ChangeBatch batch = ExpiredRows.of(7, keys);
    assertThat(batch.partition()).isEqualTo(7);
    assertThat(batch.rowCount()).isEqualTo(3);
    assertThat(batch.hasAttributes()).isFalse();
    RowCursor row = batch.rows();
    for (Bytes key : keys) {
      assertThat(row.next()).isTrue();
      assertThat(row.kind()).isEqualTo(ChangeKind.DELETE);
      assertThat(row.isExpiry()).isTrue();
      assertThat(row.mustBeJudged()).isTrue();
      assertThat(row.columns().left()).isZero();
      assertThat(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes())).isEqualTo(key);
      assertThat(row.attributesToLog()).isEqualTo(ExpiredRows.attributes());
      assertThat(
              RowCursor.isExpiryBefore(
                  batch.array(), row.keyOffset(), row.columnsOffset(), row.rowEnd()))
          .isTrue();
    }
    assertThat(row.next()).isFalse();
  }

  @Test
  void a_writer_cannot_say_that_a_row_has_expired() {
    ChangeBatch batch = ExpiredRows.of(1, List.of(key("a")));
    assertThatThrownBy(() -> new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isNotEqualTo(ErrorCode.FEATURE_NOT_ENABLED))
        .hasMessageContaining("row 0: attribute expired is written by the server");
  }
}
