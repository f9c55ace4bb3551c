package io.tunnel.cli.security.directory;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Writes the profile of a client, which its owner alone can read. The file is made first, so that
 * nobody asks for a secret that has no place.
 */
public final class ProfileWriter {

  private final Path file;
  private final JsonObject profile;

  private ProfileWriter(Path file, JsonObject profile) {
    this.file = file;
    this.profile = profile;
  }

  /**
   * Makes the file of one that reaches the server as {@code config} does, with another key.
   *
   * @throws IOException when it cannot be made, or is there already
   */
  public static ProfileWriter create(Path file, ClientConfig config) throws IOException {
    JsonObject profile = new JsonObject();
    profile.addProperty("endpoints", endpoints(config));
    profile.addProperty("tls", config.security().isTls());
    Optional<Pem> authority = config.security().authority();
    if (authority.isPresent()) {
      profile.addProperty("authority", text(authority.get()));
    }
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return new ProfileWriter(file, profile);
  }

  /**
   * Writes the profile with its key.
   *
   * @throws IOException when that fails; there is no file then
   */
  public void write(IssuedKey issued) throws IOException {
    JsonObject key = new JsonObject();
    key.addProperty("id", issued.key().id());
    key.addProperty("secret", new String(issued.secret().utf8(), StandardCharsets.UTF_8));
    profile.add("key", key);
    String text =
        new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create().toJson(profile) + "\n";
    try {
      Files.writeString(file, text, StandardOpenOption.WRITE);
    } catch (IOException e) {
      discard(e);
      throw e;
    }
  }

  /** Deletes the file, which gets no key because of {@code why}. */
  public void discard(Throwable why) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /** The text itself, so that the profile can be taken to another machine. */
  private static String text(Pem pem) throws IOException {
    return pem instanceof Pem.OfFile file
        ? Files.readString(file.file())
        : ((Pem.OfText) pem).text();
  }

  private static String endpoints(ClientConfig config) {
    return String.join(",", config.endpoints().stream().map(Object::toString).toList());
  }
}
