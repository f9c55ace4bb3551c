package io.tunnel.flink;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.ProfileException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TunnelOptionsTest {

  private static final String SECRET = "sesame-sesame-sesame";

  @TempDir private Path files;

  @Test
  void a_profile_is_read_by_who_connects_and_not_by_who_makes_the_job() {
    TunnelOptions options = new TunnelOptions("profile:./nobody-has.json@h", "t");
    assertThat(options.endpoint()).isEqualTo("profile:./nobody-has.json@h:7650");
    assertThatThrownBy(options::clientConfig)
        .isInstanceOf(ProfileException.class)
        .hasMessageContaining("there is no file");
    assertThat(new TunnelOptions("b:2, a,b:2", "t").endpoint()).isEqualTo("b:2,a:7650");
    assertThatThrownBy(() -> new TunnelOptions("profile:a b", "t"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_job_has_no_secret_in_it() throws IOException {
    Path file = files.resolve("p.json");
    Files.writeString(
        file,
        "{\"endpoints\":\"h\",\"key\":{\"id\":\"k\",\"secret\":\"" + SECRET + "\"},\"tls\":false}");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    TunnelOptions options = new TunnelOptions("profile:" + file, "t");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(options);
    }
    assertThat(bytes.toString(ISO_8859_1)).contains(file.toString()).doesNotContain(SECRET);
    ClientConfig config = options.clientConfig();
    assertThat(config.security().key()).isPresent();
    assertThat(new TunnelOptions(config.endpoint(), "t").clientConfig()).isEqualTo(config);
    assertThat(options + config.toString()).doesNotContain(SECRET);
  }
}
