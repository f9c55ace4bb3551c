package io.tunnel.sdk.transport.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.fake.FakeAuthority;
import io.tunnel.sdk.fake.FakeAuthority.Issued;
import io.tunnel.sdk.profile.SmallFile;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a certificate's files is said when a client is made. */
class KeyFilesTest {

  private static final Secret PASSWORD = Secret.of(new String(FakeAuthority.PASSWORD));

  @TempDir private Path files;

  private final FakeAuthority authority = new FakeAuthority("test");
  private final Issued mine = authority.issue("me");

  private Path write(String name, String text) throws IOException {
    return Files.writeString(files.resolve(name), text);
  }

  private static void load(ClientSecurity security) {
    var unused = LoadedConfig.of(ClientConfig.of("h").withSecurity(security));
  }

  private void assertRefused(ClientSecurity security, String message) {
    assertThatThrownBy(() -> load(security))
        .isInstanceOf(ProfileException.class)
        .message()
        .contains(message)
        .doesNotContain("MII", "changeit");
  }

  private static ClientSecurity trusting(Pem pem) {
    return ClientSecurity.tls().withAuthority(pem);
  }

  private static ClientSecurity with(Path chain, Path key) {
    return ClientSecurity.tls().withCertificate(new ClientCertificate.PemFiles(chain, key));
  }

  @Test
  void all_certificates_of_a_text_are_trusted_whatever_stands_between() throws IOException {
    String two = "# ours\n" + authority.pem() + "# theirs\n" + new FakeAuthority("b").pem();
    assertThat(KeyFiles.certificates(Pem.text(two))).hasSize(2);
    assertThat(KeyFiles.certificates(Pem.file(write("ca.crt", two)))).hasSize(2);
  }

  @Test
  void an_authority_that_is_none_is_said() throws IOException {
    assertRefused(trusting(Pem.file(files.resolve("no.crt"))), "there is no file " + files);
    assertRefused(trusting(Pem.file(files)), files + " is a directory");
    Path other = write("other.crt", "hello");
    assertRefused(
        trusting(Pem.file(other)), "in " + other + ": there is no -----BEGIN CERTIFICATE-----");
    assertRefused(trusting(Pem.text("hello")), "the authority of the profile: there is no");
    String damaged = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    assertRefused(trusting(Pem.text(damaged)), "they are damaged");
    Path large = write("large.crt", "x".repeat(SmallFile.BYTES_MAX + 1));
    assertRefused(trusting(Pem.file(large)), "has more than 1048576 bytes");
  }

  @Test
  void a_certificate_and_its_key_are_taken_together_only() throws IOException {
    Path chain = write("me.crt", FakeAuthority.pem(mine));
    Path key = write("me.key", FakeAuthority.keyPem(mine));
    load(with(chain, key));
    Path others = write("b.key", FakeAuthority.keyPem(authority.issue("b")));
    assertRefused(
        with(chain, others), others + " is not the key of the first certificate in " + chain);
    Path damaged = write("c.key", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n");
    assertRefused(with(chain, damaged), "the private key in " + damaged + " is damaged");
    Path encrypted = write("d.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n");
    assertRefused(with(chain, encrypted), "has no -----BEGIN PRIVATE KEY----- (unencrypted");
    assertRefused(with(chain, files.resolve("no.key")), "there is no file");
  }

  @Test
  void a_pkcs12_file_has_its_password() throws IOException {
    Path file = files.resolve("me.p12");
    FakeAuthority.writePkcs12(mine, file);
    load(ClientSecurity.tls().withCertificate(new ClientCertificate.Pkcs12(file, PASSWORD)));
    Secret wrong = Secret.of("changed");
    assertRefused(
        ClientSecurity.tls().withCertificate(new ClientCertificate.Pkcs12(file, wrong)),
        file + " is not PKCS#12, or has another password");
    Path text = write("x.p12", "hello");
    assertRefused(
        ClientSecurity.tls().withCertificate(new ClientCertificate.Pkcs12(text, PASSWORD)),
        "is not PKCS#12");
  }
}
