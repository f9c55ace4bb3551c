package io.tunnel.cli.security.directory;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x509.GeneralName;

/**
 * What clients connect to, as a certificate has it.
 *
 * @param text a DNS name in lower case, or an address in numbers
 * @param isAddress whether it is an address
 */
record HostName(String text, boolean isAddress) {

  /** Names of one certificate; a cluster's node needs a handful. */
  static final int NAMES_MAX = 64;

  private static final int DNS_CHARS_MAX = 253;

  /** Labels with dots between them; the first may be a star, which stands for one label. */
  private static final Pattern DNS =
      Pattern.compile(
          "(?:\\*\\.)?[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
              + "(?:\\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*");

  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

  /** Of other texts the JDK asks the network whether they are hosts. */
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+");

  private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

  /**
   * Reads a name or an address, an IPv6 address with or without brackets.
   *
   * @throws IllegalArgumentException when it is neither
   */
  static HostName of(String text) {
    String bare =
        text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    if (IPV4.matcher(bare).matches() || isIpv6(bare)) {
      return new HostName(bare.toLowerCase(Locale.ROOT), true);
    }
    boolean isName =
        bare.length() <= DNS_CHARS_MAX
            && DNS.matcher(bare).matches()
            && !NUMBERS.matcher(bare).matches();
    if (!isName) {
      throw wrong(text);
    }
    return new HostName(bare.toLowerCase(Locale.ROOT), false);
  }

  private static boolean isIpv6(String text) {
    try {
      return text.indexOf(':') >= 0
          && IPV6.matcher(text).matches()
          && InetAddress.getByName(text).getAddress().length > 0;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** As a certificate has it. */
  GeneralName inCertificate() {
    try {
      return isAddress
          ? new GeneralName(
              GeneralName.iPAddress, new DEROctetString(InetAddress.getByName(text).getAddress()))
          : new GeneralName(GeneralName.dNSName, text);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(text + " was an address", e);
    }
  }

  /** A name of this machine, if it has one that a certificate can have. */
  static Optional<HostName> ofThisMachine() {
    try {
      return Optional.of(of(InetAddress.getLocalHost().getHostName()));
    } catch (UnknownHostException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** As it stands in front of a port. */
  String inEndpoint() {
    return text.indexOf(':') >= 0 ? "[" + text + "]" : text;
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "--name '"
            + text
            + "' is not the name of a host, such as db1.example.org, nor an address, such as"
            + " 10.0.0.5 or ::1; a port does not belong to it");
  }

  @Override
  public String toString() {
    return text;
  }
}
