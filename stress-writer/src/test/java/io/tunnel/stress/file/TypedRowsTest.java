package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.rows.BadLineException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines of rows and changes as the tools print them, with their types. */
class TypedRowsTest extends ReadFileTest {

  @Test
  void what_tools_print_is_read_as_what_it_was() throws IOException {
    PrimaryKey key = PrimaryKey.builder().add("hash", new byte[] {0, -1}).add("name", "ä").build();
    List<RowChange> changes =
        List.of(
            new RowPutChange(
                key,
                List.of(
                    new Column("i", ColumnValue.fromLong(Long.MIN_VALUE)),
                    new Column("d", ColumnValue.fromDouble(Double.NaN)),
                    new Column("e", ColumnValue.fromDouble(7)),
                    new Column("b", ColumnValue.fromBoolean(true)),
                    new Column("s", ColumnValue.fromString("00\"7")),
                    new Column("x", ColumnValue.fromBinary(new byte[] {1, -1})))),
            new RowUpdateChange(
                key,
                List.of(
                    new ColumnUpdate.Put("s", ColumnValue.fromString("")),
                    new ColumnUpdate.Increment("n", -3),
                    new ColumnUpdate.Delete("i"))),
            new RowDeleteChange(key));
    StringBuilder text = new StringBuilder();
    changes.forEach(change -> text.append(TypedJson.of(change)).append('\n'));
    assertThat(read(file("a.jsonl", text.toString()), HASHED)).isEqualTo(changes);

    Row row = new Row(key, List.of(new Column("s", ColumnValue.fromString("7"))));
    assertThat(read(file("b.jsonl", TypedJson.of(row).toString()), HASHED))
        .containsExactly(new RowPutChange(key, row.columns()));
  }

  @Test
  void a_typed_line_that_is_no_change_of_the_table_is_a_bad_line() throws IOException {
    Map<String, String> cases =
        Map.of(
            "{'key':{'x':'a'},'columns':{}}", "'x' is no column of the table's key (name STRING)",
            "{'key':{},'columns':{}}", "key column 'name' is missing",
            "{'kind':'UPSERT','key':{'name':'a'},'columns':{}}", "is PUT, UPDATE or DELETE",
            "{'key':{'name':'a'},'columns':{'c':7}}", "column 'c' is not like {",
            "{'key':{'name':'a'},'columns':{'c':null}}", "only an UPDATE removes a column",
            "{'key':{'name':'a'},'columns':{'c':{'add':1}}}", "only an UPDATE adds to a column",
            "{'kind':'UPDATE','key':{'name':'a'},'columns':{'c':{'add':1.5}}}",
                "a whole number of 64 bits, not 1.5",
            "{'key':{'name':'a'},'columns':{'c':{'type':'TEXT','value':1}}}",
                "no type that is known",
            "{'key':{'name':'a'},'columns':{'c':{'type':'INTEGER','value':1.5}}}",
                "'1.5' is no INTEGER",
            "{'kind':'UPDATE','key':{'name':'a'},'columns':{}}", "1 to 1024 columns, not 0");
    for (Map.Entry<String, String> bad : cases.entrySet()) {
      Path file = file("a.jsonl", bad.getKey().replace('\'', '"') + "\n");
      assertThatThrownBy(() -> read(file, NAME))
          .isInstanceOf(BadLineException.class)
          .hasMessageContaining("a.jsonl line 1: ")
          .hasMessageContaining(bad.getValue());
    }
  }
}
