package io.tunnel.sdk.transport;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * The reason why a server was not reached, in words for people: sockets and Netty name their own
 * calls.
 */
final class Unreachable {

  /** The start of epoll's messages: {@code finishConnect(..) failed with error(-111): }. */
  private static final Pattern CALL =
      Pattern.compile("^\\S*\\(\\.\\.\\) failed(?: with error\\(-?[0-9]+\\))?: ");

  /** The address, which the message names already. */
  private static final Pattern ADDRESS = Pattern.compile(": [^ ]*/[0-9a-fA-F.:\\[\\]%]+:[0-9]+$");

  private Unreachable() {}

  static String why(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof UnknownHostException) {
      return "the host name is unknown";
    }
    if (cause instanceof NoRouteToHostException) {
      return "there is no route to the host";
    }
    String plain = ADDRESS.matcher(CALL.matcher(message).replaceFirst("")).replaceFirst("");
    if (cause instanceof ConnectException && plain.endsWith("Connection refused")) {
      return "connection refused";
    }
    return plain;
  }
}
