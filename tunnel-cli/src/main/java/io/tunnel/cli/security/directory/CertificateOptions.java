package io.tunnel.cli.security.directory;

import io.tunnel.terminal.CommandFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** Whom a certificate is for, and how long. */
final class CertificateOptions {

  private static final int DAYS_MAX = 36_500;

  @Option(
      names = "--name",
      paramLabel = "HOST",
      description =
          "A name or an address that clients connect to, such as db1.example.org or 10.0.0.5; may"
              + " be repeated.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "825",
      description =
          "How long the certificate is good, 1 to 36500 days (default: ${DEFAULT-VALUE}). A server"
              + " warns 30 days before, and takes another one without a restart.")
  private int days;

  /** For picocli. */
  CertificateOptions() {}

  /** Whether a host was named. */
  boolean isNamed() {
    return !names.isEmpty();
  }

  /**
   * The hosts that were named, and those that a server always is.
   *
   * @throws CommandFailure when a name is not the name of a host, or there are too many names
   */
  List<HostName> names(Optional<HostName> thisMachine) {
    if (names.size() > HostName.NAMES_MAX) {
      throw CommandFailure.usage(
          "--name can be given " + HostName.NAMES_MAX + " times, not " + names.size());
    }
    Set<HostName> all = new LinkedHashSet<>();
    names.forEach(name -> all.add(CommandFailure.checkUsage(() -> HostName.of(name))));
    all.addAll(NewSecurity.loopback());
    thisMachine.ifPresent(all::add);
    return List.copyOf(all);
  }

  /** The host that was named first. */
  Optional<HostName> first() {
    return names.stream().findFirst().map(HostName::of);
  }

  /**
   * How long the certificate is good.
   *
   * @throws CommandFailure when it could not be
   */
  Duration life() {
    if (days < 1 || days > DAYS_MAX) {
      throw CommandFailure.usage("--days is 1 to " + DAYS_MAX + ", not " + days);
    }
    return Duration.ofDays(days);
  }

  static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }
}
