package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.fake.FakeAuthority;
import io.tunnel.sdk.fake.FakeAuthority.Issued;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.Secret;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.security.cert.CertificateEncodingException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A client with a key says who it is, and goes on with nobody who does not know its secret. */
class AuthenticateTest {

  private static final Secret SECRET = Secret.of("sesame-sesame-sesame");
  private static final AccessKey KEY = new AccessKey("k1", SECRET);
  private static final Bytes NONCE = Bytes.copyOf(new byte[Authentication.NONCE_BYTES]);

  /** The server's side, with a secret and a binding that need not be right. */
  private static final class Asking {
    final List<Bytes> nonces = new CopyOnWriteArrayList<>();
    final List<Operation> order = new CopyOnWriteArrayList<>();
    private final Secret secret;
    private final Bytes binding;
    private volatile Authentication.Begin begun;

    Asking(Secret secret, Bytes binding) {
      this.secret = secret;
      this.binding = binding;
    }

    void answer(FakeConnection client, Frame frame) {
      order.add(frame.operation());
      Authentication.Request request = Authentication.Request.decode(frame.payload());
      if (request instanceof Authentication.Begin begin) {
        begun = begin;
        nonces.add(begin.nonce());
        client.answer(frame, new Authentication.Challenge(NONCE).encode());
        return;
      }
      AuthenticationProof proof =
          new AuthenticationProof(begun.keyId(), begun.nonce(), NONCE, binding);
      Bytes proved = ((Authentication.Prove) request).proof();
      if (proof.ofClient(SECRET.utf8()).equals(proved)) {
        client.answer(
            frame, new Authentication.Accepted(proof.ofServer(secret.utf8()), "anna").encode());
      } else {
        client.refuse(frame, ErrorCode.NOT_AUTHENTICATED);
      }
    }
  }

  private static void connect(ClientConfig config) {
    TableClient.connect(config).close();
  }

  private static ClientConfig with(FakeServer server, AccessKey key) {
    return server.config().withSecurity(ClientSecurity.NONE.withKey(key));
  }

  @Test
  void each_connection_is_authenticated_anew() {
    try (FakeServer server = new FakeServer()) {
      Asking asking = new Asking(SECRET, AuthenticationProof.NO_CHANNEL);
      server.on(Operation.AUTHENTICATE, asking::answer);
      connect(with(server, KEY));
      connect(with(server, KEY));
      assertThat(asking.nonces).hasSize(2).doesNotHaveDuplicates();
      assertThat(asking.order).hasSize(4);
      connect(server.config());
      assertThat(asking.order).hasSize(4);
      assertThat(server.failures()).isEmpty();
    }
  }

  @Test
  void a_server_that_does_not_know_the_secret_is_left() {
    try (FakeServer server = new FakeServer()) {
      Asking impostor =
          new Asking(Secret.of("guessed-guessed-guessed"), AuthenticationProof.NO_CHANNEL);
      server.on(Operation.AUTHENTICATE, impostor::answer);
      assertThatThrownBy(() -> connect(with(server, KEY)))
          .isInstanceOfSatisfying(
              ConnectionException.class, e -> assertThat(e.isLasting()).isTrue())
          .hasMessageContaining("the server takes the key k1, but does not know the key's secret")
          .message()
          .doesNotContain("sesame");
    }
  }

  @Test
  void a_server_that_asks_for_no_proof_is_left() {
    try (FakeServer server = new FakeServer()) {
      server.on(
          Operation.AUTHENTICATE,
          (client, frame) ->
              client.answer(frame, new Authentication.Accepted(NONCE, "anna").encode()));
      assertThatThrownBy(() -> connect(with(server, KEY)))
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining("accepted a key before it asked for a proof");
    }
  }

  @Test
  void what_the_server_refuses_is_not_tried_again() {
    try (FakeServer server = new FakeServer()) {
      Asking asking = new Asking(SECRET, AuthenticationProof.NO_CHANNEL);
      server.on(Operation.AUTHENTICATE, asking::answer);
      AccessKey wrong = new AccessKey("k1", Secret.of("another-another-another"));
      assertThatThrownBy(() -> connect(with(server, wrong)))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_AUTHENTICATED))
          .message()
          .doesNotContain("another-");
      assertThat(asking.nonces).hasSize(1);
    }
  }

  @Test
  void a_proof_is_for_the_certificate_that_the_client_saw() throws CertificateEncodingException {
    FakeAuthority authority = new FakeAuthority("test");
    Issued mine = authority.issue("127.0.0.1");
    ClientSecurity security =
        ClientSecurity.tls().withAuthority(Pem.text(authority.pem())).withKey(KEY);
    try (FakeServer server = authority.serve(mine, false)) {
      ClientConfig config = server.config().withSecurity(security);
      Bytes seen = AuthenticationProof.binding(mine.certificate().getEncoded());
      server.on(Operation.AUTHENTICATE, new Asking(SECRET, seen)::answer);
      connect(config);
      Asking between = new Asking(SECRET, AuthenticationProof.NO_CHANNEL);
      server.on(Operation.AUTHENTICATE, between::answer);
      assertThatThrownBy(() -> connect(config)).isInstanceOf(RefusedException.class);
    }
  }
}
