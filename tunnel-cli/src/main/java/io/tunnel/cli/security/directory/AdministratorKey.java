package io.tunnel.cli.security.directory;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The key of the first administrator, who can come before there is a catalog that has keys.
 *
 * @param id its public name
 * @param secret a text that nobody can guess
 */
record AdministratorKey(String id, String secret) {

  /** Whom the key is for. */
  static final String PRINCIPAL = "admin";

  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();

  private record Stored(String id, String principal, List<String> sealed, long created) {}

  /** A key that nobody has had. */
  static AdministratorKey create(IntFunction<Bytes> chance) {
    byte[] random = chance.apply(AccessKey.SECRET_BYTES).toByteArray();
    return new AdministratorKey(
        AccessKey.idOf(chance.apply(AccessKey.ID_BYTES)),
        Base64.getUrlEncoder().withoutPadding().encodeToString(random));
  }

  /** The list of keys that a server reads. */
  String keysFile(MasterKey master, long nowMs) {
    String sealed = master.seal(secret.getBytes(StandardCharsets.UTF_8), id);
    return GSON.toJson(List.of(new Stored(id, PRINCIPAL, List.of(sealed), nowMs))) + "\n";
  }

  /** The profile of the administrator's tools. */
  String profile(String endpoints, String authorityPem) {
    JsonObject key = new JsonObject();
    key.addProperty("id", id);
    key.addProperty("secret", secret);
    JsonObject profile = profileOf(endpoints, authorityPem);
    profile.add("key", key);
    return text(profile);
  }

  /** A profile of nobody yet. */
  static JsonObject profileOf(String endpoints, String authorityPem) {
    JsonObject profile = new JsonObject();
    profile.addProperty("endpoints", endpoints);
    profile.addProperty("tls", true);
    profile.addProperty("authority", authorityPem);
    return profile;
  }

  static String text(JsonObject profile) {
    return GSON.toJson(profile) + "\n";
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "AdministratorKey[" + id + "]";
  }
}
