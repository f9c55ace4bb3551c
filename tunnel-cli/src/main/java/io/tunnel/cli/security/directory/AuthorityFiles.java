package io.tunnel.cli.security.directory;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntFunction;

/** The security directory that has the authority's key, from which further certificates come. */
final class AuthorityFiles {

  static final String AUTHORITY = "authority.crt";
  static final String AUTHORITY_KEY = "authority.key";
  static final String SERVER = "server.crt";
  static final String SERVER_KEY = "server.key";
  static final String MASTER_KEY = "master.key";
  static final String KEYS = "keys.json";
  static final String ADMINISTRATOR = "admin.json";

  private final Path directory;

  /** What is read of a profile. */
  private record Profile(Optional<String> endpoints) {
    Profile {
      endpoints = endpoints == null ? Optional.empty() : endpoints;
    }
  }

  AuthorityFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * Reads the authority.
   *
   * @throws CommandFailure when it is not there whole
   */
  CertificateAuthority authority(IntFunction<Bytes> chance) throws IOException {
    String certificate = required(AUTHORITY);
    String key = required(AUTHORITY_KEY);
    try {
      return CertificateAuthority.of(Issued.of(certificate, key), chance);
    } catch (IOException e) {
      throw CommandFailure.failed(
          AUTHORITY
              + " and "
              + AUTHORITY_KEY
              + " in '"
              + directory
              + "' are no authority: "
              + e.getMessage());
    }
  }

  /** All certificates that are trusted; there may be more than that of the authority. */
  String trusted() throws IOException {
    return required(AUTHORITY);
  }

  private String required(String name) throws IOException {
    return text(name)
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "there is no "
                        + name
                        + " in '"
                        + directory
                        + "': --dir is the directory that 'tunnel security init' made, with the"
                        + " authority's key in it"));
  }

  /** The text of a file; empty when the file does not exist. */
  Optional<String> text(String name) throws IOException {
    try {
      return Optional.of(Files.readString(directory.resolve(name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Where the administrator's profile says that the service is, or this machine. */
  String endpoints() throws IOException {
    Profile profile;
    try {
      profile = Json.ofText(text(ADMINISTRATOR).orElse("{}"), Profile.class);
    } catch (MalformedException e) {
      profile = new Profile(Optional.empty());
    }
    return profile.endpoints().orElse("127.0.0.1:" + Protocol.PORT_DEFAULT);
  }
}
