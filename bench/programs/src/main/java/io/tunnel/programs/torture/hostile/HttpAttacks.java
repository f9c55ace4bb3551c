package io.tunnel.programs.torture.hostile;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import javax.net.ssl.SSLException;

/**
 * Of somebody who wants the figures of a server and has no right to. Each path is answered on a
 * connection that the server closes; the console's paths keep theirs.
 */
final class HttpAttacks {

  private static final List<String> PATHS =
      List.of(
          "/metrics",
          "/metrics/",
          "//metrics",
          "/health/../metrics",
          "/%6detrics",
          "/metrics%00",
          "/metrics?token=",
          "/health",
          "/..%2f..%2fetc/passwd",
          "/%",
          "*");

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "OPTIONS", "TRACE", "PUT");

  private static final int HUGE_MAX = 64 * 1024;

  private HttpAttacks() {}

  static void token(Scene scene, SplittableRandom random) throws IOException {
    if (scene.target().httpPort().isEmpty()) {
      return;
    }
    String path = PATHS.get(random.nextInt(PATHS.size()));
    String method = random.nextInt(3) > 0 ? "GET" : METHODS.get(random.nextInt(METHODS.size()));
    String answer =
        answer(
            scene,
            method
                + " "
                + path
                + " HTTP/1.1\r\nHost: localhost\r\n"
                + said(scene, random)
                + "\r\n");
    if (answer.contains("tunnel_") || answer.contains("root:")) {
      throw new HoleException(method + " " + path + " was answered with " + answer);
    }
    int body = answer.indexOf("\r\n\r\n");
    boolean isHealth = answer.startsWith("HTTP/1.1 200") || answer.startsWith("HTTP/1.1 503");
    if (isHealth
        && body >= 0
        && !answer.substring(body).strip().matches("(\\{\"status\":\"(UP|DOWN)\"})?")) {
      throw new HoleException(method + " " + path + " says more than whether it is up: " + answer);
    }
  }

  private static String said(Scene scene, SplittableRandom random) {
    String junk = "x".repeat(random.nextInt(HUGE_MAX));
    return switch (random.nextInt(8)) {
      case 0 -> "";
      case 1 -> "Authorization: Bearer " + scene.victim().tokenId() + "\r\n";
      case 2 -> "Authorization: Bearer " + junk + "\r\n";
      case 3 -> "Authorization: Bearer\r\nAuthorization: Bearer  \r\n";
      case 4 -> "Authorization: Basic YWRtaW46YWRtaW4=\r\n";
      case 5 -> "Authorization: bearer " + Long.toHexString(random.nextLong()) + "\r\n";
      case 6 -> "X-Forwarded-For: 127.0.0.1\r\nAuthorization: Bearer null\r\n";
      default ->
          "Content-Length: " + random.nextInt(-2, HUGE_MAX) + "\r\n" + "Cookie: " + junk + "\r\n";
    };
  }

  private static String answer(Scene scene, String request) throws IOException {
    int port = scene.target().httpPort().getAsInt();
    try (Socket plain = RawConnection.socket(port);
        Socket socket = scene.target().isTls() ? RawConnection.tls(plain) : plain) {
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
      } catch (SocketException | SSLException e) {
        // It has closed already, as it may, and still may have said why.
      }
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketException | SSLException e) {
      return "";
    }
  }
}
