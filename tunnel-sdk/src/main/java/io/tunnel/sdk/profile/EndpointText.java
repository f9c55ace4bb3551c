package io.tunnel.sdk.profile;

import io.tunnel.sdk.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The text that names a service: endpoints, {@code profile:NAME}, or {@code profile:NAME@} and
 * endpoints that replace the profile's endpoints. For a profile in a file, the last {@code @}
 * begins the endpoints, unless a slash follows.
 *
 * @param profile name or file of a profile
 * @param endpoints endpoints to use; empty for the profile's endpoints
 */
public record EndpointText(Optional<String> profile, List<Endpoint> endpoints) {

  private static final String PREFIX = "profile:";
  private static final String FILE_END = ".json";

  /** Letters, digits and {@code . _ -}, so that every name is a valid file name on all systems. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /** Refuses a text without both, endpoints and profile. */
  public EndpointText {
    endpoints = List.copyOf(endpoints);
    if (profile.isEmpty() && endpoints.isEmpty()) {
      throw new IllegalArgumentException("there is no endpoint and no profile");
    }
  }

  /**
   * Parses a text; reads no file.
   *
   * @throws IllegalArgumentException when the text is malformed
   */
  public static EndpointText of(String text) {
    if (!text.startsWith(PREFIX)) {
      return new EndpointText(Optional.empty(), endpoints(text));
    }
    String rest = text.substring(PREFIX.length());
    int at = rest.lastIndexOf('@');
    if (at < 0 || rest.indexOf('/', at) >= 0 || rest.endsWith(FILE_END)) {
      return new EndpointText(Optional.of(requireProfile(rest)), List.of());
    }
    return new EndpointText(
        Optional.of(requireProfile(rest.substring(0, at))), endpoints(rest.substring(at + 1)));
  }

  /** Parses endpoints with commas between them. */
  static List<Endpoint> endpoints(String text) {
    List<Endpoint> parsed = new ArrayList<>();
    for (String endpoint : text.split(",", -1)) {
      parsed.add(Endpoint.of(endpoint.strip()));
    }
    return parsed;
  }

  private static String requireProfile(String profile) {
    if (!isFile(profile) && !NAME.matcher(profile).matches()) {
      throw new IllegalArgumentException(
          "'"
              + profile
              + "' is not a profile: a name of 1 to 64 of A-Z a-z 0-9 _ . -, or a file with a slash"
              + " or .json at its end");
    }
    return profile;
  }

  /** Whether the profile is the path of a file, not a name in the profiles' directory. */
  static boolean isFile(String profile) {
    return profile.indexOf('/') >= 0 || profile.endsWith(FILE_END);
  }

  /** The text that {@link #of} parses. */
  @Override
  public String toString() {
    String hosts = endpoints.stream().map(Endpoint::toString).collect(Collectors.joining(","));
    return profile.map(name -> PREFIX + name + (hosts.isEmpty() ? "" : "@" + hosts)).orElse(hosts);
  }
}
