package io.tunnel.cli.security;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.sdk.security.SecurityClient.KeyDetails;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.security.SecurityClient.Token;
import java.util.List;
import java.util.function.Function;

/** What is granted, for programs. */
final class SecurityJson {

  private SecurityJson() {}

  static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }

  static <T> JsonObject list(String name, List<T> items, Function<T, JsonObject> each) {
    JsonArray array = new JsonArray();
    items.forEach(item -> array.add(each.apply(item)));
    JsonObject json = new JsonObject();
    json.add(name, array);
    return json;
  }

  static JsonArray permissions(List<Permission> permissions) {
    return list("permissions", permissions, SecurityJson::permission).getAsJsonArray("permissions");
  }

  static JsonObject permission(Permission permission) {
    JsonObject json = new JsonObject();
    json.addProperty("subject", permission.subject());
    json.addProperty("isAllowed", permission.isAllowed());
    json.add("rights", texts(permission.rights()));
    json.addProperty("resource", permission.resource());
    return json;
  }

  static JsonObject key(KeyDetails key) {
    JsonObject json = new JsonObject();
    json.addProperty("id", key.id());
    json.addProperty("principal", key.principal());
    json.addProperty("secrets", key.secrets());
    json.addProperty("createdMs", key.created().toEpochMilli());
    return json;
  }

  static JsonObject token(Token token) {
    JsonObject json = new JsonObject();
    json.addProperty("id", token.id());
    json.addProperty("principal", token.principal());
    json.addProperty("createdMs", token.created().toEpochMilli());
    token.expires().ifPresent(end -> json.addProperty("expiresMs", end.toEpochMilli()));
    return json;
  }
}
