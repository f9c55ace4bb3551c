package io.tunnel.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RowSelectionTest {

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("id", PrimaryKeyType.STRING),
          new PrimaryKeySchema("n", PrimaryKeyType.INTEGER));

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "c" + i).toList();
  }

  @Test
  void each_part_is_chosen_and_keeps_the_others() {
    Condition open = Condition.parse("state = \"open\"");
    Condition dear = Condition.parse("price > 5");
    assertThat(RowSelection.ALL)
        .isEqualTo(new RowSelection(Optional.empty(), Optional.empty(), false));
    RowSelection selection =
        RowSelection.ALL.where(open).withColumns("price", "state").withCommitTimes().where(dear);
    assertThat(selection.condition()).contains(open.and(dear));
    assertThat(selection.columns()).contains(List.of("price", "state"));
    assertThat(selection.hasCommitTimes()).isTrue();
    assertThat(selection.withColumns().columns()).contains(List.of());
    assertThat(selection.withColumns(List.of("a")).columns()).contains(List.of("a"));
    assertThat(selection.withColumns(List.of("a")).hasCommitTimes()).isTrue();
    assertThat(RowSelection.ALL.hasCommitTimes()).isFalse();
  }

  @Test
  void as_many_columns_are_chosen_as_a_row_has_each_once() {
    List<String> most = names(Limits.ROW_COLUMNS_MAX);
    assertThat(RowSelection.ALL.withColumns(most).columns()).contains(most);
    assertThatThrownBy(() -> RowSelection.ALL.withColumns(names(Limits.ROW_COLUMNS_MAX + 1)))
        .hasMessage("1025 columns are chosen; at most 1024 are allowed, as many as a row has");
    assertThatThrownBy(() -> RowSelection.ALL.withColumns("a", "b", "a"))
        .hasMessage("column 'a' is chosen twice; name each column once");
    assertThatThrownBy(() -> RowSelection.ALL.withColumns("a", ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_columns_are_those_of_the_list_when_it_was_given() {
    List<String> names = new ArrayList<>(List.of("a"));
    RowSelection selection = RowSelection.ALL.withColumns(names);
    names.add("b");
    assertThat(selection.columns()).contains(List.of("a"));
  }

  @Test
  void a_table_with_another_key_is_selected_so_and_not_by_its_key() {
    RowSelection right = RowSelection.ALL.where(Condition.parse("n > 5")).withColumns("a");
    assertThat(right.require(KEY)).isSameAs(right);
    assertThat(RowSelection.ALL.require(KEY)).isSameAs(RowSelection.ALL);
    assertThatThrownBy(() -> RowSelection.ALL.withColumns("a", "n").require(KEY))
        .hasMessageContaining("column 'n' is chosen and is of the table's key (id, n)");
    assertThatThrownBy(() -> RowSelection.ALL.where(Condition.parse("n = \"x\"")).require(KEY))
        .hasMessageContaining("never compare");
    assertThatThrownBy(
            () -> RowSelection.ALL.where(Condition.parse("change is update")).require(KEY))
        .hasMessageContaining("rows without changes");
  }
}
