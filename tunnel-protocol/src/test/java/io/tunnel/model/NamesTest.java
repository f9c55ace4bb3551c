package io.tunnel.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.PrimaryKeyType;
import org.junit.jupiter.api.Test;

class NamesTest {

  @Test
  void a_message_has_the_first_characters_of_a_long_name_and_says_how_long_it_is() {
    String table = "t".repeat(255);
    assertThat(Names.shortened(table)).isEqualTo(table);
    assertThat(Names.shortened(table + "u")).isEqualTo(table + "… (256 characters)");
    String large = "x".repeat(1 << 20);
    assertThatThrownBy(() -> Names.requireResourceName("table", large))
        .message()
        .hasSizeLessThan(400)
        .contains("table name 'xxx", "(1048576 characters)");
    assertThatThrownBy(() -> Names.requireColumnName(large))
        .message()
        .hasSizeLessThan(400)
        .contains("(1048576 characters)");
    assertThatThrownBy(() -> Names.requireResourceName("table", null))
        .hasMessageContaining("table name 'null'");
  }

  @Test
  void a_column_of_a_key_is_told_as_people_write_it() {
    assertThat(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)).hasToString("id:INTEGER");
    assertThat(PrimaryKeySchema.auto("seq")).hasToString("seq:INTEGER:AUTO");
  }
}
