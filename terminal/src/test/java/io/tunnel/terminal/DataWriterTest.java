package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DataWriterTest {

  private static DataWriter failing(String message) {
    return new DataWriter(
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(message);
          }
        });
  }

  @Test
  void text_is_written_as_utf_8_in_every_locale() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataWriter writer = new DataWriter(bytes)) {
      writer.println("行 é");
      assertThat(bytes.toString(StandardCharsets.UTF_8).strip()).isEqualTo("行 é");
      assertThat(writer.failure()).isEmpty();
    }
  }

  @Test
  void a_disk_that_is_full_is_remembered() {
    try (DataWriter writer = failing("No space left on device")) {
      writer.print("x");
      assertThat(writer.failure())
          .hasValueSatisfying(failure -> assertThat(failure).hasMessageContaining("No space left"));
    }
  }

  @Test
  void a_reader_that_has_gone_is_no_failure() {
    try (DataWriter writer = failing("Broken pipe")) {
      writer.println("x");
      assertThat(writer.checkError()).isTrue();
      assertThat(writer.failure()).isEmpty();
    }
  }
}
