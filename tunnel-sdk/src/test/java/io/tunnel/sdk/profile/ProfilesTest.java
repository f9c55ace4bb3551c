package io.tunnel.sdk.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfilesTest {

  private static final String SECRET = "sesame-sesame-sesame";
  private static final AccessKey KEY = new AccessKey("k1", Secret.of(SECRET));

  @TempDir private Path home;

  private final Map<String, String> environment = new HashMap<>();

  private Path write(String name, String text) throws IOException {
    Path file = home.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private Profile read(String name) {
    return new Profiles(environment, home).read(name);
  }

  private void assertRefused(String name, String... words) {
    assertThatThrownBy(() -> read(name))
        .isInstanceOf(ProfileException.class)
        .message()
        .contains(words)
        .doesNotContain(SECRET);
  }

  @Test
  void a_profile_has_a_name_under_the_home_of_the_user() throws IOException {
    write(
        ".tunnel/profiles/prod.json",
        """
        {"endpoints": "h1:7650, h2", "tls": true, "authority": "certs/ca.crt",
         "key": {"id": "k1", "secret": "%s"}, "certificate": "/abs/me.crt", "certificateKey": "me.key"}
        """
            .formatted(SECRET));
    Path directory = home.resolve(".tunnel/profiles");
    assertThat(read("prod").endpoints())
        .containsExactly(new Endpoint("h1", 7650), new Endpoint("h2", 7650));
    assertThat(read("prod").security())
        .isEqualTo(
            new ClientSecurity(
                true,
                Optional.of(Pem.file(directory.resolve("certs/ca.crt"))),
                Optional.of(KEY),
                Optional.of(
                    new ClientCertificate.PemFiles(
                        Path.of("/abs/me.crt"), directory.resolve("me.key"))),
                Optional.of("prod")));
  }

  @Test
  void a_profile_is_a_file_that_is_found_from_anywhere() throws IOException {
    Path file = write("own.json", "{\"authority\": \"-----BEGIN CERTIFICATE-----\\nx\"}");
    Path here = Path.of("").toAbsolutePath().relativize(file);
    Profile profile = read("./" + here);
    assertThat(profile.security().authority()).contains(Pem.text("-----BEGIN CERTIFICATE-----\nx"));
    Path named = Path.of(profile.security().profile().orElseThrow());
    assertThat(named).isAbsolute().isRegularFile();
    assertThat(read(named.toString())).isEqualTo(profile);
  }

  @Test
  void tls_is_on_unless_it_is_switched_off() throws IOException {
    String on = write("on.json", "{\"endpoints\":\"h\"}").toString();
    String off = write("off.json", "{\"tls\":false}").toString();
    assertThat(read(on).security().isTls()).isTrue();
    assertThat(read(off).security().isTls()).isFalse();
    environment.put("TUNNEL_TLS", "false");
    assertThat(read(on).security().isTls()).isFalse();
    environment.put("TUNNEL_TLS", "true");
    assertThat(read(off).security().isTls()).isTrue();
  }

  @Test
  void each_variable_takes_the_place_of_what_the_file_says() throws IOException {
    String file =
        write(
                "p.json",
                "{\"endpoints\":\"h\",\"authority\":\"a\",\"key\":{\"id\":\"k0\",\"secret\":\""
                    + SECRET
                    + "\"}}")
            .toString();
    environment.put("TUNNEL_KEY_ID", "k1");
    assertThat(read(file).security().key()).contains(KEY);
    environment.put("TUNNEL_SECRET", "another-" + SECRET);
    environment.put("TUNNEL_SERVER", "g:1");
    environment.put("TUNNEL_AUTHORITY", "/ca.crt");
    environment.put("TUNNEL_CERTIFICATE", "/me.crt");
    environment.put("TUNNEL_CERTIFICATE_KEY", "/me.key");
    Profile profile = read(file);
    assertThat(profile.endpoints()).containsExactly(new Endpoint("g", 1));
    assertThat(profile.security().authority()).contains(Pem.file(Path.of("/ca.crt")));
    assertThat(profile.security().key())
        .contains(new AccessKey("k1", Secret.of("another-" + SECRET)));
    assertThat(profile.security().certificate())
        .contains(new ClientCertificate.PemFiles(Path.of("/me.crt"), Path.of("/me.key")));
  }

  @Test
  void the_environment_is_a_profile_without_a_file() throws IOException {
    environment.put("TUNNEL_KEY_ID", "k1");
    environment.put("TUNNEL_SECRET_FILE", write("secret", SECRET + "\n").toString());
    environment.put("TUNNEL_TLS", "");
    Profile profile = read("env");
    assertThat(profile.endpoints()).isEmpty();
    assertThat(profile.security().key()).contains(KEY);
    assertThat(profile.security().isTls()).isTrue();
    assertThat(profile.security().profile()).contains("env");
    environment.put("TUNNEL_SECRET", SECRET);
    assertRefused("env", "TUNNEL_SECRET and TUNNEL_SECRET_FILE are both set");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rwx--x---"})
  void a_file_that_others_can_read_is_refused(String rights) throws IOException {
    Path file = write("p.json", "{}");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
    assertRefused(file.toString(), "profile " + file, "chmod 600 " + file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    assertThat(read(file.toString()).endpoints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|not an object",
        "{\"key\":{\"secret\":\"sesame-sesame-sesame|not JSON at line 1 column 39 (key.secret)",
        "[]|it is not an object",
        "null|it is not an object",
        "{\"key\":{\"secret\":sesame-sesame-sesame}}|not JSON at line 1",
        "{\"sceret\":\"sesame-sesame-sesame\"}|unknown member 'sceret'; there are [endpoints, tls, authority, key, certificate, certificateKey]",
        "{\"tls\":true,\"tls\":false}|the name 'tls' comes twice in an object",
        "{\"key\":{\"id\":\"k\",\"id\":\"l\",\"secret\":\"sesame-sesame-sesame\"}}|the name 'id' comes twice in an object",
        "{\"key\":{\"name\":\"sesame-sesame-sesame\"}}|unknown member 'key.name'; there are [id, secret]",
        "{\"key\":\"sesame-sesame-sesame\"}|key is an object with the members [id, secret]",
        "{\"key\":{\"id\":\"k\"}}|the key has an id, but no secret",
        "{\"key\":{\"secret\":\"sesame-sesame-sesame\"}}|the key has a secret, but no id",
        "{\"key\":{\"id\":1,\"secret\":\"sesame-sesame-sesame\"}}|key.id is a text in quotes",
        "{\"key\":{\"id\":\"a b\",\"secret\":\"sesame-sesame-sesame\"}}|the id of a key has 1 to 255",
        "{\"key\":{\"id\":\"k\",\"secret\":\"sesame\"}}|16 to 512 bytes, not 6",
        "{\"key\":{\"id\":\"k\",\"secret\":\"sesame-sesame-sesame\\n\"}}|control character",
        "{\"tls\":\"true\"}|tls is true or false, without quotes",
        "{\"tls\":false,\"authority\":\"a\"}|an authority is for TLS, which is switched off",
        "{\"endpoints\":\"h:x\"}|'h:x' is not an endpoint",
        "{\"certificate\":\"a\"}|the certificate has no private key",
        "{\"certificateKey\":\"a\"}|the private key has no certificate",
        "{\"certificate\":\"sesame-sesame-sesame\\u0000\"}|certificate is not the name of a file"
      })
  void a_file_that_is_wrong_says_where_and_shows_no_secret(String text, String message)
      throws IOException {
    Path file = write("p.json", text);
    assertRefused(file.toString(), "profile " + file, message);
  }

  @Test
  void what_cannot_be_read_is_said_with_its_name() throws IOException {
    Path directory = Files.createDirectory(home.resolve("d.json"));
    assertRefused("nope", "there is no file " + home.resolve(".tunnel/profiles/nope.json"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    assertRefused(directory.toString(), "is a directory");
    Path binary = write("b.json", "");
    Files.write(binary, new byte[] {'{', (byte) 0xff});
    assertRefused(binary.toString(), "is not text in UTF-8");
    Path largest = write("l.json", "{}" + " ".repeat(SmallFile.BYTES_MAX - 2));
    assertThat(read(largest.toString()).endpoints()).isEmpty();
    Path larger = write("m.json", "{}" + " ".repeat(SmallFile.BYTES_MAX - 1));
    assertRefused(larger.toString(), "has more than 1048576 bytes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TUNNEL_TLS|yes|TUNNEL_TLS cannot be used: it is true or false",
        "TUNNEL_SECRET|sesame|the key has a secret, but no id",
        "TUNNEL_SECRET_FILE|/nope/secret|TUNNEL_SECRET_FILE cannot be used: there is no file /nope/secret",
        "TUNNEL_CERTIFICATE|/me.crt|the certificate has no private key",
        "TUNNEL_SERVER|h:x|'h:x' is not an endpoint"
      })
  void a_variable_that_is_wrong_is_named(String name, String value, String message) {
    environment.put(name, value);
    assertRefused("env", message);
  }
}
