package io.tunnel.server.security.files;

/**
 * Whether everybody is asked who they are.
 *
 * @param directory the security directory, whose certificates and keys this server has; empty for a
 *     server that asks nobody, which listens on this machine only
 */
public record SecurityConfig(String directory) {

  /** Nobody is asked. */
  public static final SecurityConfig NONE = new SecurityConfig("");

  /** Refuses null. */
  public SecurityConfig {
    if (directory == null) {
      throw new IllegalArgumentException("security.directory is text in quotes, not null");
    }
  }

  /** Whether everybody is asked. */
  public boolean isClosed() {
    return !directory.isEmpty();
  }
}
