package io.tunnel.sdk.profile;

import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The profiles of a process: files, and environment variables, which override the values of every
 * file. The only place that reads the environment.
 */
public final class Profiles {

  /** The profile without a file. */
  private static final String ENVIRONMENT = "env";

  private final Map<String, String> environment;
  private final Path directory;

  /**
   * Profiles with another environment and home, for tests.
   *
   * @param environment variables by name
   * @param home the directory that contains {@code .tunnel/profiles}
   */
  public Profiles(Map<String, String> environment, Path home) {
    this.environment = Map.copyOf(environment);
    this.directory = home.resolve(".tunnel").resolve("profiles");
  }

  /** The profiles of this process and its user. */
  public static Profiles ofProcess() {
    return new Profiles(System.getenv(), Path.of(System.getProperty("user.home", ".")));
  }

  /**
   * Reads a profile.
   *
   * @param name {@code env}, a name, or the path of a file
   * @throws ProfileException when the file or a variable has a bad value
   */
  public Profile read(String name) {
    String known = EndpointText.isFile(name) ? path("the profile", name).toString() : name;
    try {
      Settings file = name.equals(ENVIRONMENT) ? Settings.NONE : ProfileFile.read(file(known));
      return ofEnvironment().or(file).together(known);
    } catch (ProfileException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new ProfileException("profile " + known + ": " + e.getMessage());
    }
  }

  /** Absolute, so that a process in another working directory reads this file, too. */
  private Path file(String name) {
    return EndpointText.isFile(name) ? Path.of(name) : directory.resolve(name + ".json");
  }

  private Settings ofEnvironment() {
    return new Settings(
        variable("TUNNEL_SERVER", Function.identity()),
        variable("TUNNEL_TLS", Profiles::trueOrFalse),
        variable("TUNNEL_AUTHORITY", file -> Pem.file(path("TUNNEL_AUTHORITY", file))),
        variable("TUNNEL_KEY_ID", Function.identity()),
        secret(),
        variable("TUNNEL_CERTIFICATE", file -> path("TUNNEL_CERTIFICATE", file)),
        variable("TUNNEL_CERTIFICATE_KEY", file -> path("TUNNEL_CERTIFICATE_KEY", file)));
  }

  private Optional<Secret> secret() {
    Optional<Secret> itself = variable("TUNNEL_SECRET", Secret::of);
    Optional<Secret> ofFile = variable("TUNNEL_SECRET_FILE", Profiles::secretIn);
    if (itself.isPresent() && ofFile.isPresent()) {
      throw new ProfileException("TUNNEL_SECRET and TUNNEL_SECRET_FILE are both set: set one");
    }
    return itself.or(() -> ofFile);
  }

  /** Editors end a file with a line end, which does not belong to the secret. */
  private static Secret secretIn(String file) {
    Path path = path("TUNNEL_SECRET_FILE", file);
    return Secret.of(SmallFile.text(path).stripTrailing());
  }

  private static Boolean trueOrFalse(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("it is true or false");
    }
    return text.equals("true");
  }

  private static Path path(String what, String text) {
    try {
      return Path.of(text).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new ProfileException(what + " is not the name of a file");
    }
  }

  /** An empty variable counts as not set. */
  private <T> Optional<T> variable(String name, Function<String, T> reader) {
    String value = environment.getOrDefault(name, "");
    try {
      return value.isEmpty() ? Optional.empty() : Optional.of(reader.apply(value));
    } catch (IllegalArgumentException e) {
      throw new ProfileException(name + " cannot be used: " + e.getMessage());
    }
  }
}
