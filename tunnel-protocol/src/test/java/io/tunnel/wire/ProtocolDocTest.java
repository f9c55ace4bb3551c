package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.GoldenFile;
import io.tunnel.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/protocol.md} says what the code does. */
class ProtocolDocTest {

  private final String doc = read();

  @Test
  void every_error_code_is_in_its_table() {
    for (ErrorCode code : ErrorCode.values()) {
      String retriable = code.retriable() ? "yes" : "no";
      assertThat(doc).contains("| " + code.code() + " | " + code + " | " + retriable + " |");
    }
  }

  @Test
  void every_operation_and_kind_is_in_its_table() {
    for (Operation operation : Operation.values()) {
      String repeated = operation.repeat().name().replaceFirst("^FREELY_", "FREELY, ");
      String traits =
          String.join(" | ", operation.room().name(), repeated, operation.right().name());
      assertThat(doc)
          .containsPattern(
              Pattern.quote("| " + operation.code() + " | " + operation + " | ")
                  + ".*"
                  + Pattern.quote(
                      " | " + traits.toLowerCase(Locale.ROOT).replace('_', ' ') + " |"));
    }
    for (FrameKind kind : FrameKind.values()) {
      assertThat(doc).contains("| " + kind.code() + " | " + kind + " | ");
    }
  }

  @Test
  void every_control_payload_is_in_its_table() {
    PayloadSamples.all()
        .map(sample -> sample.getClass().getSimpleName())
        .filter(name -> !name.matches("Empty|(Partition|Channel)Description"))
        .forEach(name -> assertThat(doc).contains("| `" + name + "` | "));
  }

  @Test
  void the_batch_that_is_drawn_is_the_golden_one() {
    assertThat(doc).contains(GoldenFile.text("v1/batch.hex"));
  }

  @Test
  void the_condition_that_is_drawn_is_the_golden_one() {
    assertThat(doc).contains(GoldenFile.text("v1/condition.hex"));
  }

  private static String read() {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    try {
      return Files.readString(root.resolve("docs/reference/protocol.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
