package io.tunnel.cli.security;

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

/** Writes the profile of a client, which its owner alone can read. */
public final class ProfileWriter {

  private ProfileWriter() {}

  /**
   * Writes one that reaches the server as {@code config} does, with another key.
   *
   * @throws IOException when it cannot be written, or is there already
   */
  public static void write(Path file, ClientConfig config, IssuedKey issued) throws IOException {
    JsonObject key = new JsonObject();
    key.addProperty("id", issued.key().id());
    key.addProperty("secret", new String(issued.secret().utf8(), StandardCharsets.UTF_8));
    JsonObject profile = new JsonObject();
    profile.addProperty("endpoints", endpoints(config));
    profile.addProperty("tls", config.security().isTls());
    Optional<Pem> authority = config.security().authority();
    if (authority.isPresent()) {
      profile.addProperty("authority", text(authority.get()));
    }
    profile.add("key", key);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        file,
        new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create().toJson(profile) + "\n",
        StandardOpenOption.WRITE);
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
