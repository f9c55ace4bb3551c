package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.profile.Profiles;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConfigTest {

  private static final String SECRET = "sesame-sesame-sesame";

  @ParameterizedTest
  @CsvSource({
    "localhost, localhost, 7650",
    "localhost:1, localhost, 1",
    "10.0.0.1:65535, 10.0.0.1, 65535",
    "[::1]:7651, ::1, 7651",
    "[::1], ::1, 7650"
  })
  void an_endpoint_is_a_host_and_perhaps_a_port(String endpoint, String host, int port) {
    ClientConfig config = ClientConfig.of(endpoint);
    assertThat(config.host()).isEqualTo(host);
    assertThat(config.port()).isEqualTo(port);
    assertThat(ClientConfig.of(config.endpoint())).isEqualTo(config);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ":1", "a:", "a:b", "a:0", "a:65536", "a:-1", "::1", "[::1", "::1]", "[]", "a:1:2"
      })
  void what_is_no_endpoint_is_refused(String text) {
    assertThatThrownBy(() -> ClientConfig.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void several_endpoints_have_commas_between_them() {
    ClientConfig config = ClientConfig.of("a:1, b,[::1]:3,a:1");
    assertThat(config.endpoints())
        .containsExactly(new Endpoint("a", 1), new Endpoint("b", 7650), new Endpoint("::1", 3));
    assertThat(config.endpoint()).isEqualTo("a:1,b:7650,[::1]:3");
    assertThat(ClientConfig.of(config.endpoint())).isEqualTo(config);
    assertThatThrownBy(() -> ClientConfig.of("a:1,")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ClientConfig.of("a:1,b:x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b:x");
  }

  @Test
  void there_are_at_most_so_many_endpoints() {
    List<Endpoint> most =
        IntStream.rangeClosed(1, ClientConfig.ENDPOINTS_MAX)
            .mapToObj(port -> new Endpoint("a", port))
            .toList();
    assertThat(ClientConfig.of(most).endpoints()).isEqualTo(most);
    List<Endpoint> more = new ArrayList<>(most);
    more.add(new Endpoint("b", 1));
    assertThatThrownBy(() -> ClientConfig.of(more)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ClientConfig.of(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void an_address_that_a_server_says_counts_only_when_it_is_one() {
    assertThat(Endpoint.told(Optional.of("a:1"))).contains(new Endpoint("a", 1));
    assertThat(Endpoint.told(Optional.of("a:b"))).isEmpty();
    assertThat(Endpoint.told(Optional.empty())).isEmpty();
  }

  @Test
  void limits_are_checked() {
    ClientConfig config = ClientConfig.of("localhost");
    assertThatThrownBy(() -> config.withConnectDeadline(Duration.ZERO))
        .hasMessageContaining("connectDeadline");
    assertThatThrownBy(() -> config.withRequestDeadline(Duration.ofNanos(1)))
        .hasMessageContaining("requestDeadline");
    assertThatThrownBy(() -> config.withInFlightBytesMax(0))
        .hasMessageContaining("inFlightBytesMax");
    assertThatThrownBy(() -> config.withRetryDeadline(Duration.ofMillis(-1)))
        .hasMessageContaining("retryDeadline");
    assertThat(config.withRetryDeadline(Duration.ZERO).retryDeadline()).isZero();
    assertThatThrownBy(() -> config.withWriteRetryDeadline(Duration.ofMillis(-1)))
        .hasMessageContaining("writeRetryDeadline is at least 0");
    assertThat(config.withWriteRetryDeadline(Duration.ZERO).writeRetryDeadline()).isZero();
  }

  @Test
  void a_time_that_nobody_can_count_is_a_hundred_years() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    Duration longest = Duration.ofDays(36_500);
    ClientConfig config =
        ClientConfig.of("localhost")
            .withConnectDeadline(forEver)
            .withRequestDeadline(forEver)
            .withRetryDeadline(forEver)
            .withWriteRetryDeadline(forEver);
    assertThat(config.connectDeadline()).isEqualTo(longest);
    assertThat(config.requestDeadline()).isEqualTo(longest);
    assertThat(config.retryDeadline()).isEqualTo(longest);
    assertThat(config.writeRetryDeadline()).isEqualTo(longest);
    assertThat(TableWriterConfig.DEFAULTS.withLinger(forEver).linger()).isEqualTo(longest);
    assertThat(PartitionReaderConfig.DEFAULTS.withOutageMax(forEver).outageMax())
        .isEqualTo(longest);
    Duration countable = longest.minusNanos(1);
    assertThat(config.withRequestDeadline(countable).requestDeadline()).isEqualTo(countable);
    Duration neverWas = Duration.ofSeconds(Long.MIN_VALUE);
    assertThatThrownBy(() -> config.withRequestDeadline(neverWas))
        .hasMessageContaining("requestDeadline is at least 1 ms");
    assertThatThrownBy(() -> config.withRetryDeadline(neverWas))
        .hasMessageContaining("retryDeadline is at least 0");
  }

  @Test
  void a_profile_stays_in_the_text_that_names_the_service(@TempDir Path home) throws IOException {
    Path file = home.resolve("own.json");
    Files.writeString(
        file,
        "{\"endpoints\":\"a:1\",\"tls\":false,\"key\":{\"id\":\"k\",\"secret\":\""
            + SECRET
            + "\"}}");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Profiles profiles = new Profiles(Map.of("TUNNEL_TLS", "true"), home);
    ClientConfig config = ClientConfig.of("profile:" + file, profiles);
    assertThat(config.endpoint()).isEqualTo("profile:" + file + "@a:1");
    assertThat(config.security().isTls()).isTrue();
    assertThat(config.security().key()).contains(new AccessKey("k", Secret.of(SECRET)));
    assertThat(ClientConfig.of(config.endpoint(), profiles)).isEqualTo(config);
    ClientConfig elsewhere = ClientConfig.of("profile:" + file + "@b:2,c", profiles);
    assertThat(elsewhere.endpoint()).isEqualTo("profile:" + file + "@b:2,c:7650");
    assertThat(elsewhere.withRequestDeadline(Duration.ofSeconds(1)).security())
        .isEqualTo(config.security());
    assertThat(List.of(config.toString(), config.endpoint()))
        .allSatisfy(text -> assertThat(text).doesNotContain(SECRET));
  }

  @Test
  void a_service_has_endpoints(@TempDir Path home) {
    Profiles profiles = new Profiles(Map.of("TUNNEL_TLS", "true"), home);
    assertThatThrownBy(() -> ClientConfig.of("profile:env", profiles))
        .isInstanceOf(ProfileException.class)
        .hasMessage(
            "profile env has no endpoints: say profile:env@HOST:PORT, or set TUNNEL_SERVER");
    assertThat(ClientConfig.of("profile:env@h", profiles).endpoint())
        .isEqualTo("profile:env@h:7650");
  }

  @Test
  void a_text_is_made_canonical_without_its_profile() {
    assertThat(ClientConfig.canonical("a, b:1,a")).isEqualTo("a:7650,b:1");
    assertThat(ClientConfig.canonical("profile:nobody-has-it")).isEqualTo("profile:nobody-has-it");
    assertThat(ClientConfig.canonical("profile:no/file@a, b"))
        .isEqualTo("profile:no/file@a:7650,b:7650");
    assertThatThrownBy(() -> ClientConfig.canonical("profile:no such"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void security_that_a_program_has_put_together_is_in_no_text() {
    ClientConfig config = ClientConfig.of("a:1").withSecurity(ClientSecurity.tls());
    assertThat(config.endpoint()).isEqualTo("a:1");
    assertThat(ClientConfig.of("a:1").security()).isEqualTo(ClientSecurity.NONE);
  }
}
