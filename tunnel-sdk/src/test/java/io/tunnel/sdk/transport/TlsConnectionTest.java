package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.fake.FakeAuthority;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What {@link ConnectionHandlerTest} says of requests holds when TLS is between it and a socket.
 */
class TlsConnectionTest {

  private static final int LARGE_BYTES = 4 << 20;
  private static final int REQUESTS = 12;

  private final FakeAuthority authority = new FakeAuthority("test");
  private final FakeServer server = authority.serve(authority.issue("127.0.0.1"), false);
  private final EventLoops.Place place = new EventLoops(1).place();
  private final Connection connection =
      Connection.open(
              ClientPort.of(place, new SystemClock()),
              LoadedConfig.of(
                  server
                      .config()
                      .withSecurity(ClientSecurity.tls().withAuthority(Pem.text(authority.pem())))),
              server.config().endpoints().get(0),
              PushReceiver.NONE)
          .join();

  @AfterEach
  void close() {
    connection.close();
    place.close();
    server.close();
  }

  private List<CompletableFuture<Frame>> ask(Duration deadline) {
    List<CompletableFuture<Frame>> answers = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      answers.add(connection.request(Operation.WRITE, new byte[LARGE_BYTES], deadline));
    }
    return answers;
  }

  private static ConnectionException failureOf(CompletableFuture<Frame> answer) {
    return (ConnectionException) Caller.unwrap(answer.handle((frame, failure) -> failure).join());
  }

  @Test
  void large_requests_and_answers_come_whole() {
    server.on(Operation.WRITE, (client, frame) -> client.answer(frame, frame.payload()));
    for (CompletableFuture<Frame> answer : ask(Duration.ofMinutes(5))) {
      assertThat(answer.join().payload()).hasSize(LARGE_BYTES);
    }
    assertThat(server.failures()).isEmpty();
  }

  @Test
  void what_a_dead_connection_has_not_taken_is_never_sent_and_may_be_again() {
    CountDownLatch wakes = new CountDownLatch(1);
    List<Frame> received = new CopyOnWriteArrayList<>();
    server.on(
        Operation.WRITE,
        (client, frame) -> {
          received.add(frame);
          Waits.await(wakes);
        });
    List<ConnectionException> failures =
        ask(Duration.ofMillis(500)).stream().map(TlsConnectionTest::failureOf).toList();
    assertThat(connection.isOpen()).isFalse();
    assertThat(failures.get(0).retriable()).isFalse();
    assertThat(failures.get(REQUESTS - 1).retriable()).isTrue();
    wakes.countDown();
    Waits.until("the server has seen the end", () -> server.connections().isEmpty());
    long inDoubt = failures.stream().filter(failure -> !failure.retriable()).count();
    assertThat(received).hasSizeLessThanOrEqualTo((int) inDoubt);
  }

  @Test
  void what_waits_for_an_answer_is_in_doubt_when_the_server_goes() {
    server.on(Operation.WRITE, (client, frame) -> client.drop());
    ConnectionException failure =
        failureOf(connection.request(Operation.WRITE, new byte[1], Duration.ofSeconds(30)));
    assertThat(failure.retriable()).isFalse();
    assertThat(failure.isLasting()).isFalse();
    assertThat(failureOf(connection.request(Operation.WRITE, new byte[1])).retriable()).isTrue();
  }
}
