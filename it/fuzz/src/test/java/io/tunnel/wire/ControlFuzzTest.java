package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Payloads of control operations: JSON of every type that there is. */
@Tag("proof-fuzz")
class ControlFuzzTest {

  private static final List<Class<? extends Control>> TYPES = records(Control.class);

  @FuzzTest(maxDuration = "")
  @DictionaryEntries({
    "\\x22table\\x22:\\x22t\\x22",
    "\\x22tunnel\\x22:\\x22n\\x22",
    "\\x22meta\\x22:{\\x22name\\x22:\\x22t\\x22,\\x22primaryKey\\x22:[{\\x22name\\x22:\\x22id\\x22,\\x22type\\x22:\\x22INTEGER\\x22}]}",
    "\\x22splitPoints\\x22:[{\\x22integer\\x22:\\x225\\x22}]",
    "\\x22type\\x22:\\x22Stream\\x22",
    "\\x22start\\x22:\\x22EARLIEST\\x22",
    "\\x22startMs\\x22:",
    "null",
    "{",
    "[",
    "1e999"
  })
  void json_is_a_payload_or_refused(FuzzedDataProvider data) {
    Class<? extends Control> type = data.pickValue(TYPES);
    byte[] payload = data.consumeRemainingAsBytes();

    Control decoded;
    try {
      decoded = Json.decode(payload, type);
    } catch (MalformedException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }

    byte[] again = Json.encode(decoded);
    assertThat(Json.decode(again, type))
        .as(new String(again, StandardCharsets.UTF_8))
        .isEqualTo(decoded);
  }

  @SuppressWarnings("unchecked") // What a sealed set of controls permits is a control.
  private static List<Class<? extends Control>> records(Class<? extends Control> type) {
    List<Class<? extends Control>> found = new ArrayList<>();
    if (type.isRecord()) {
      found.add(type);
    } else {
      for (Class<?> permitted : type.getPermittedSubclasses()) {
        found.addAll(records((Class<? extends Control>) permitted));
      }
    }
    return found;
  }
}
