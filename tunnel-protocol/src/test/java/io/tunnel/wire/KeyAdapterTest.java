package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.PrimaryKey;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key in JSON goes through its constructors. */
class KeyAdapterTest {

  @Test
  void a_key_is_read_as_it_was_written() {
    PrimaryKey key = PrimaryKey.builder().add("id", 1).add("name", "ü").build();
    Skip skip = new Skip(7, key, "why");
    assertThat(Json.toText(skip))
        .contains("{\"columns\":[{\"name\":\"id\",\"value\":{\"integer\":\"1\"}},");
    assertThat(Json.ofText(Json.toText(skip), Skip.class)).isEqualTo(skip);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"columns\":[]}",
        "{\"columns\":[{\"name\":\"id\"}]}",
        "{\"columns\":[{\"name\":\"id\",\"value\":null}]}",
        "{\"columns\":[{\"value\":{\"integer\":\"1\"}}]}",
        "{\"columns\":[{\"name\":\"\",\"value\":{\"integer\":\"1\"}}]}",
        "{\"columns\":[{\"name\":\"a\",\"value\":{\"integer\":\"1\"}},"
            + "{\"name\":\"a\",\"value\":{\"integer\":\"2\"}}]}",
        "null"
      })
  void a_key_that_no_row_can_have_is_refused(String key) {
    String text = "{\"position\":7,\"key\":" + key + ",\"error\":\"why\"}";
    assertThatThrownBy(() -> Json.ofText(text, Skip.class)).isInstanceOf(MalformedException.class);
  }
}
