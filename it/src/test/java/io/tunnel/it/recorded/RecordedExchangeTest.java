package io.tunnel.it.recorded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client of yesterday talks to a server of today, and the reverse. What was said yesterday is in
 * {@code recorded}; {@link RecordMain} adds exchanges, and never changes an exchange.
 */
class RecordedExchangeTest {

  private static final String FIRST = "version-1";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = FIRST)
  void a_server_of_today_answers_a_client_of_yesterday_as_its_own_did(String name)
      throws IOException, InterruptedException {
    try (LiveServer server = new LiveServer(directory);
        RecordedClient client = new RecordedClient(server.port())) {
      client.replay(Exchange.read(name));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = FIRST)
  void a_client_of_today_understands_a_server_of_yesterday(String name)
      throws IOException, InterruptedException {
    try (RecordedServer server = new RecordedServer(Exchange.read(name))) {
      Story.play(server.endpoint());
      // Without an id the client writes without numbers.
      assertThat(server.unknown()).containsOnly("OPEN_WRITER");
    }
  }

  @Test
  void an_exchange_is_read_as_it_was_written() {
    Exchange exchange = Exchange.read(FIRST);
    assertThat(exchange.steps()).hasSizeGreaterThan(40);
    assertThat(Exchange.parse(exchange.text()).text()).isEqualTo(exchange.text());
  }
}
