package io.tunnel.sdk.transport.trust;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.wire.FrameAssembler;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Explains a TLS failure to people, and tells whether a retry may help. The messages of the JDK and
 * Netty speak of records and paths.
 */
public final class TlsFailures {

  /** The JDK's message when the peer ended the handshake. */
  private static final Pattern ALERT = Pattern.compile("fatal alert: (\\w+)");

  /**
   * The JDK's message for a certificate with another name; the JDK has no exception type for the
   * case.
   */
  private static final Pattern OTHER_NAME =
      Pattern.compile("No (?:subject alternative|name matching)", Pattern.CASE_INSENSITIVE);

  /** How Netty shows the first bytes of an answer that is not TLS: here {@code HTTP/}. */
  private static final String HTTP_HEX = "not an SSL/TLS record: 485454502f";

  private TlsFailures() {}

  /** Whether TLS failed, and not the layer above or below. */
  public static boolean isOne(Throwable failure) {
    return find(failure, SSLException.class).isPresent();
  }

  /** The exception for a failed handshake or connection. */
  public static ConnectionException explain(
      Endpoint endpoint, ClientSecurity security, Throwable failure) {
    String start = "cannot connect to " + endpoint + ": ";
    Optional<String> lasting = lasting(security, failure);
    if (lasting.isPresent()) {
      return ConnectionException.lasting(start + lasting.get(), failure);
    }
    if (find(failure, SslHandshakeTimeoutException.class).isPresent()) {
      return new ConnectionException(
          start + "the server did not take part in the TLS handshake in time", true, failure);
    }
    if (find(failure, ClosedChannelException.class).isPresent()
        || innermost(failure).startsWith("Connection closed while")) {
      return new ConnectionException(
          start + "the server closed the connection in the TLS handshake", true, failure);
    }
    return new ConnectionException(start + "TLS failed: " + innermost(failure), true, failure);
  }

  /**
   * The message for a failure that lasts until the profile, the certificate or the server changes.
   */
  private static Optional<String> lasting(ClientSecurity security, Throwable failure) {
    Optional<NotSslRecordException> plain = find(failure, NotSslRecordException.class);
    if (plain.isPresent()) {
      return Optional.of(
          plain.get().getMessage().startsWith(HTTP_HEX)
              ? FrameAssembler.HTTP_ANSWER
              : "the server does not speak TLS; leave TLS out of the profile (\"tls\": false), or"
                  + " start the server with --security");
    }
    if (find(failure, CertificateExpiredException.class).isPresent()) {
      return Optional.of(
          "the server's certificate has expired; make another with './tunnel security"
              + " certificate'");
    }
    if (find(failure, CertificateNotYetValidException.class).isPresent()) {
      return Optional.of(
          "the server's certificate is not valid yet; compare the clocks of both machines");
    }
    Optional<CertificateException> refused = find(failure, CertificateException.class);
    if (refused.isPresent()) {
      return Optional.of(
          OTHER_NAME.matcher(String.valueOf(refused.get().getMessage())).find()
              ? "the server's certificate is for another name or address; connect to a name in the"
                  + " certificate, or make the certificate with --name"
              : untrusted(security));
    }
    Matcher alert = ALERT.matcher(innermost(failure));
    return alert.find() ? Optional.of(alert(security, alert.group(1))) : Optional.empty();
  }

  private static String untrusted(ClientSecurity security) {
    String trusted =
        security
            .authority()
            .map(pem -> pem instanceof Pem.OfFile of ? "the authority in " + of.file() : "")
            .map(file -> file.isEmpty() ? "the authority of the profile" : file)
            .orElse("an authority that the JDK trusts");
    return "the server's certificate is not of "
        + trusted
        + "; the authority.crt of the server's security directory is the right one";
  }

  private static String alert(ClientSecurity security, String name) {
    return switch (name) {
      case "certificate_required" ->
          "the server asks for a certificate of the client, and the profile has none";
      case "bad_certificate",
          "certificate_unknown",
          "certificate_expired",
          "certificate_revoked",
          "unsupported_certificate",
          "unknown_ca" ->
          security.certificate().isPresent()
              ? "the server does not take the client's certificate (" + name + ")"
              : "the server asks for a certificate of the client, and the profile has none ("
                  + name
                  + ")";
      default -> "the server ended the TLS handshake (" + name + ")";
    };
  }

  private static String innermost(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  private static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
    Throwable cause = failure;
    while (cause != null) {
      if (type.isInstance(cause)) {
        return Optional.of(type.cast(cause));
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }
}
