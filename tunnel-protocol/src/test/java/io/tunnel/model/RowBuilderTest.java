package io.tunnel.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowBuilderTest {

  @Test
  void keys_have_their_columns_in_the_order_in_which_they_were_named() {
    byte[] bytes = {1, 2};
    assertThat(Row.key("hash", bytes).key("user", "ada").key("at", -7).auto("number").primaryKey())
        .isEqualTo(
            PrimaryKey.builder()
                .add("hash", bytes)
                .add("user", "ada")
                .add("at", -7)
                .auto("number")
                .build());
    PrimaryKey key = Row.key("user", "ada").key("hash", bytes).primaryKey();
    assertThat(key.size()).isEqualTo(2);
    assertThat(Row.key(key).set("state", "done").update().primaryKey()).isEqualTo(key);
  }

  @Test
  void columns_have_the_types_of_their_values() {
    byte[] bytes = {3};
    RowPutChange put =
        Row.key("id", 7)
            .set("integer", 10)
            .set("double", 0.5)
            .set("boolean", true)
            .set("string", "ten")
            .set("binary", bytes)
            .set("any", ColumnValue.fromLong(1))
            .put();
    assertThat(put)
        .isEqualTo(
            new RowPutChange(
                PrimaryKey.builder().add("id", 7).build(),
                List.of(
                    new Column("integer", ColumnValue.fromLong(10)),
                    new Column("double", ColumnValue.fromDouble(0.5)),
                    new Column("boolean", ColumnValue.fromBoolean(true)),
                    new Column("string", ColumnValue.fromString("ten")),
                    new Column("binary", ColumnValue.fromBinary(bytes)),
                    new Column("any", ColumnValue.fromLong(1)))));
    Row row = Row.key("id", 7).set("name", "ada").row();
    assertThat(row.value("name")).hasValue(ColumnValue.fromString("ada"));
    assertThat(row.primaryKey()).isEqualTo(put.primaryKey());
  }

  @Test
  void an_update_sets_adds_and_removes() {
    RowUpdateChange update =
        Row.key("id", 7)
            .set("state", "done")
            .add("count", -1)
            .remove("owner")
            .update(RowExistenceExpectation.EXPECT_EXIST);
    assertThat(update.updates())
        .containsExactly(
            new ColumnUpdate.Put("state", ColumnValue.fromString("done")),
            new ColumnUpdate.Increment("count", -1),
            new ColumnUpdate.Delete("owner"));
    assertThat(update.condition()).isEqualTo(RowExistenceExpectation.EXPECT_EXIST);
    assertThat(Row.key("id", 7).set("state", "done").update().condition())
        .isEqualTo(RowExistenceExpectation.IGNORE);
  }

  @Test
  void a_condition_on_the_existence_is_that_of_the_change() {
    assertThat(Row.key("id", 7).put(RowExistenceExpectation.EXPECT_NOT_EXIST).condition())
        .isEqualTo(RowExistenceExpectation.EXPECT_NOT_EXIST);
    assertThat(Row.key("id", 7).delete(RowExistenceExpectation.EXPECT_EXIST).condition())
        .isEqualTo(RowExistenceExpectation.EXPECT_EXIST);
    assertThat(Row.key("id", 7).delete().condition()).isEqualTo(RowExistenceExpectation.IGNORE);
    assertThat(Row.key("id", 7).put().condition()).isEqualTo(RowExistenceExpectation.IGNORE);
  }

  static List<Consumer<RowBuilder>> senseless() {
    return List.of(
        row -> row.add("amount", 1).put(),
        row -> row.remove("amount").put(),
        row -> row.add("amount", 1).row(),
        row -> row.set("amount", 1).delete(),
        row -> row.remove("amount").delete());
  }

  @ParameterizedTest
  @MethodSource("senseless")
  void columns_that_a_change_cannot_have_are_refused_by_name(Consumer<RowBuilder> senseless) {
    assertThatThrownBy(() -> senseless.accept(Row.key("id", 7)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'amount'");
  }

  @Test
  void an_update_without_columns_is_refused() {
    assertThatThrownBy(() -> Row.key("id", 7).update())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to ");
  }
}
