package io.tunnel.sdk.transport;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Why a server was not reached, for people: sockets and Netty speak of their own calls. */
final class Unreachable {

  /** What epoll's calls begin with: {@code finishConnect(..) failed with error(-111): }. */
  private static final Pattern CALL =
      Pattern.compile("^\\S*\\(\\.\\.\\) failed(?: with error\\(-?[0-9]+\\))?: ");

  /** The address, which the sentence names already. */
  private static final Pattern ADDRESS = Pattern.compile(": [^ ]*/[0-9a-fA-F.:\\[\\]%]+:[0-9]+$");

  private Unreachable() {}

  static String why(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof UnknownHostException) {
      return "there is no host of that name";
    }
    if (cause instanceof NoRouteToHostException) {
      return "there is no way to that host";
    }
    String plain = ADDRESS.matcher(CALL.matcher(message).replaceFirst("")).replaceFirst("");
    if (cause instanceof ConnectException && plain.endsWith("Connection refused")) {
      return "connection refused";
    }
    return plain;
  }
}
