package io.tunnel.sdk.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.testing.InputBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** That a processor written for Tablestore compiles is tested by the compiler; it also works. */
class RowCopyingProcessorTest {

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("region", "eu").add("id", id).build();
  }

  @Test
  void rows_are_copied_with_their_types() {
    RowCopyingProcessor copy = new RowCopyingProcessor();
    List<Column> columns =
        List.of(
            new Column("i", ColumnValue.fromLong(1)),
            new Column("d", ColumnValue.fromDouble(1.5)),
            new Column("t", ColumnValue.fromBoolean(true)),
            new Column("s", ColumnValue.fromString("x")),
            new Column("b", ColumnValue.fromBinary(new byte[3])));
    copy.process(
        InputBuilder.input()
            .add(new RowPutChange(key(1), columns))
            .add(new RowPutChange(key(2), columns))
            .add(new RowDeleteChange(key(2)))
            .add(
                new RowUpdateChange(
                    key(1),
                    List.of(
                        new ColumnUpdate.Delete("s"),
                        new ColumnUpdate.Put("i", ColumnValue.fromLong(2)))))
            .build());
    assertThat(copy.rows)
        .containsOnly(Map.entry(List.of("eu", 1L), Map.of("i", 2L, "d", 1.5, "t", true, "b", 3)));
    assertThat(copy.keyTypes)
        .containsOnly(
            Map.entry("region", PrimaryKeyType.STRING), Map.entry("id", PrimaryKeyType.INTEGER));
    assertThat(copy.lastToken).isEqualTo("3");
  }
}
