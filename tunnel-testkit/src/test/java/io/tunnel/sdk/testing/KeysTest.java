package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Secret;
import io.tunnel.sdk.security.SecurityClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in by a service with keys. */
class KeysTest {

  private static final AccessKey KEY = key("tkbilling", "the first secret, of 32 bytes or more");

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();

  private static AccessKey key(String id, String secret) {
    return new AccessKey(id, Secret.of(secret));
  }

  private static ClientConfig briefly(ClientConfig config) {
    return config.withRetryDeadline(Duration.ofSeconds(2));
  }

  private ClientConfig with(AccessKey key) {
    return briefly(
        ClientConfig.of(service.endpoint()).withSecurity(ClientSecurity.NONE.withKey(key)));
  }

  private static void requireServed(ClientConfig config) {
    try (TableClient tables = TableClient.connect(config)) {
      assertThat(tables.listTables()).isNotNull();
    }
  }

  private static void requireRefused(ClientConfig config) {
    assertThatThrownBy(() -> requireServed(config))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_AUTHENTICATED));
  }

  @Test
  void a_client_with_the_key_is_served_and_told_who_it_is() {
    service.withKey("billing", KEY);

    requireServed(with(KEY));
    try (SecurityClient client = new SecurityClient(with(KEY))) {
      assertThat(client.whoAmI().principal()).contains("billing");
    }
  }

  @Test
  void a_client_with_another_key_or_secret_or_without_one_is_refused_as_by_a_server() {
    service.withKey("billing", KEY);

    requireRefused(with(key("tkothers", "another secret, of 32 bytes or more")));
    requireRefused(with(key(KEY.id(), "another secret, of 32 bytes or more")));
    requireRefused(briefly(ClientConfig.of(service.endpoint())));
  }

  @Test
  void a_client_with_a_key_is_refused_where_nobody_is_asked() {
    requireRefused(with(KEY));
  }

  @Test
  void a_profile_with_a_key_is_served(@TempDir Path directory) throws Exception {
    service.withKey("billing", KEY);
    Path profile = directory.resolve("test.json");
    Files.writeString(
        profile,
        "{\"endpoints\": \""
            + service.endpoint()
            + "\", \"tls\": false, \"key\": {\"id\": \""
            + KEY.id()
            + "\", \"secret\": \"the first secret, of 32 bytes or more\"}}");
    Files.setPosixFilePermissions(profile, PosixFilePermissions.fromString("rw-------"));

    requireServed(briefly(ClientConfig.of("profile:" + profile)));
  }

  @Test
  void a_client_whose_key_is_revoked_is_refused_from_then_on() {
    service.withKey("billing", KEY);
    try (TableClient tables = TableClient.connect(with(KEY))) {
      tables.createTable(
          new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));

      service.revokeKey(KEY.id());

      assertThatThrownBy(tables::listTables)
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_AUTHENTICATED));
    }
    requireRefused(with(KEY));
  }

  @Test
  void a_key_that_is_not_there_cannot_be_revoked() {
    service.withKey("billing", KEY);

    assertThatThrownBy(() -> service.revokeKey("tkothers"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tkbilling");
  }

  @Test
  void there_are_a_thousand_keys_at_most() {
    for (int i = 0; i < Keys.KEYS_MAX; i++) {
      service.withKey("p", key("tk" + i, "a secret, of 32 bytes or a few more"));
    }

    service.withKey("q", key("tk0", "another secret, of 32 bytes or more"));
    assertThatThrownBy(() -> service.withKey("p", KEY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("" + Keys.KEYS_MAX);
  }
}
