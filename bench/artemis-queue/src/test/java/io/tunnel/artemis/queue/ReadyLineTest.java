package io.tunnel.artemis.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadyLineTest {

  @Test
  void a_line_says_port_journal_and_timeout() {
    ReadyLine line = new ReadyLine(61616, "NIO", 123_456);
    assertThat(ReadyLine.parse(line.text())).contains(line);
  }

  @Test
  void what_a_library_prints_is_no_such_line() {
    assertThat(ReadyLine.parse("")).isEmpty();
    assertThat(ReadyLine.parse("ready")).isEmpty();
    assertThat(ReadyLine.parse("ready port=x journal=NIO bufferNanos=1")).isEmpty();
  }
}
