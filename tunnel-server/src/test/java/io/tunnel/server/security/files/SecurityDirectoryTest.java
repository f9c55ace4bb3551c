package io.tunnel.server.security.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity.Authority;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SecurityDirectoryTest {

  private static final Authority OURS = Authority.of("ours");
  private static final String BOB_KEY = "tkbobbobbobbobbob2";

  @TempDir private Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private final Logged logged = Logged.of(SecurityDirectory.class);

  @BeforeEach
  void write() throws IOException {
    TestSecurity.write(directory, OURS);
  }

  @AfterEach
  void close() {
    logged.close();
  }

  private SecurityDirectory read() throws IOException {
    return new SecurityDirectory(
        directory, environment::get, TestSecurity.chance(7), TestSecurity.ENDED::toEpochMilli);
  }

  private String refused() {
    List<String> message = new ArrayList<>();
    assertThatThrownBy(this::read)
        .isInstanceOfSatisfying(IOException.class, e -> message.add(e.getMessage()));
    return message.get(0);
  }

  private void put(String name, String content) throws IOException {
    if (name.equals("master.key")) {
      TestSecurity.writeMasterKey(directory, content);
    } else {
      Files.writeString(directory.resolve(name), content);
    }
  }

  private static AccessKey bob() {
    return new AccessKey(
        BOB_KEY,
        Principal.ofKey("bob"),
        List.of(TestSecurity.sealed(BOB_KEY, "bob's secret")),
        2,
        false);
  }

  @Test
  void it_knows_the_administrators_and_opens_their_secrets() throws Exception {
    SecurityDirectory security = read();
    assertThat(security.principals()).containsExactly(Principal.ofKey("admin"));
    AccessKey key = security.key(TestSecurity.ADMIN_KEY).orElseThrow();
    assertThat(key)
        .isEqualTo(new AccessKey(key.id(), key.principal(), key.sealedSecrets(), 1, false));
    assertThat(security.master().open(key.sealedSecrets().get(0), key.id()))
        .isEqualTo(TestSecurity.ADMIN_SECRET.getBytes(StandardCharsets.UTF_8));
    assertThat(security.key(BOB_KEY)).isEmpty();
  }

  @Test
  void a_directory_that_is_not_there_is_told_with_how_to_make_it() {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(
            () -> new SecurityDirectory(missing, environment::get, TestSecurity.chance(7), () -> 0))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "there is no security directory %s; make one with 'tunnel security init --dir %s'",
            missing, missing);
  }

  @ParameterizedTest
  @ValueSource(strings = {"authority.crt", "server.crt", "server.key", "master.key"})
  void a_file_that_is_not_there_is_told_with_what_makes_it(String name) throws IOException {
    Files.delete(directory.resolve(name));
    assertThat(refused())
        .contains(directory.resolve(name).toString(), "tunnel security init --dir");
  }

  @Test
  void a_password_that_is_not_there_or_not_right_is_told() throws IOException {
    TestSecurity.writePkcs12(directory, OURS.server());
    put("server.p12.password", "wrong");
    assertThat(refused())
        .contains("server.p12 cannot be opened", "server.p12.password", "password");
    Files.delete(directory.resolve("server.p12.password"));
    assertThat(refused()).contains("there is no", "server.p12.password");
  }

  @ParameterizedTest
  @ValueSource(strings = {"authority.crt", "server.crt", "server.key", "master.key", "keys.json"})
  void a_file_that_is_not_what_it_should_be_is_told_by_its_name(String name) throws IOException {
    Path file = directory.resolve(name);
    for (byte[] content :
        List.of(
            new byte[0],
            new byte[] {'x'},
            new byte[] {(byte) 0xff, (byte) 0xfe, 0},
            new byte[SmallFile.BYTES_MAX + 1])) {
      Files.write(file, content);
      assertThat(refused()).contains(directory.resolve(name).getFileName().toString());
    }
    assertThat(refused()).contains(file + " has more than 1048576 bytes");
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(refused()).contains(file + " cannot be read");
  }

  @Test
  void a_file_may_have_as_many_bytes_as_it_may_have() throws IOException {
    String spaces = " ".repeat(SmallFile.BYTES_MAX - TestSecurity.MASTER_KEY.length());
    put("master.key", TestSecurity.MASTER_KEY + spaces);
    assertThat(read().master()).isNotNull();
  }

  @Test
  void the_variable_takes_the_place_of_the_file_with_the_master_key() throws Exception {
    Files.delete(directory.resolve("master.key"));
    environment.put(SecurityDirectory.MASTER_KEY_VARIABLE, TestSecurity.MASTER_KEY);
    assertThat(read().master().open(TestSecurity.sealed("a", "b"), "a")).hasSize(1);
    put("master.key", "garbage");
    assertThat(read().master().open(TestSecurity.sealed("a", "b"), "a")).hasSize(1);
    environment.put(SecurityDirectory.MASTER_KEY_VARIABLE, "not a key, and secret");
    assertThat(refused())
        .contains("TUNNEL_MASTER_KEY holds no master key", "64 hexadecimal digits")
        .doesNotContain("secret");
    environment.put(SecurityDirectory.MASTER_KEY_VARIABLE, "");
    put("master.key", TestSecurity.MASTER_KEY);
    assertThat(refused()).as("set, and empty").contains("TUNNEL_MASTER_KEY holds no master key");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r--r--", "rw-----w-", "rw--w----", "r-----r--"})
  void a_master_key_that_every_user_may_read_or_change_is_refused(String rights)
      throws IOException {
    Path file = directory.resolve("master.key");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
    assertThat(refused()).contains("chmod 600 " + file).doesNotContain("5a5a");
    environment.put("TUNNEL_MASTER_KEY", TestSecurity.MASTER_KEY);
    assertThat(read().principals()).as("the file is not used").isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "r--------", "rw-r-----"})
  void a_master_key_of_its_owner_and_a_group_is_taken(String rights) throws IOException {
    Files.setPosixFilePermissions(
        directory.resolve("master.key"), PosixFilePermissions.fromString(rights));
    assertThat(read().principals()).isNotEmpty();
  }

  @Test
  void a_master_key_that_is_damaged_is_not_shown() throws IOException {
    put("master.key", TestSecurity.MASTER_KEY.substring(1));
    assertThat(refused()).contains("master.key holds no master key").doesNotContain("5a5a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "null",
        "{}",
        "[null]",
        "[{}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"admin\",\"created\":1}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"admin\",\"sealed\":[],\"created\":1}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"admin\",\"sealed\":[null],\"created\":1}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"a b\",\"sealed\":[\"x\"],\"created\":1}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"CN=a\",\"sealed\":[\"x\"],\"created\":1}]",
        "[{\"id\":\"admin\",\"principal\":\"admin\",\"sealed\":[\"x\"],\"created\":1}]",
        "[{\"id\":7}]",
        "[{\"id\":\"tkadminadminadmin2\",\"principal\":\"admin\",\"sealed\":[\"x\"],\"created\":1}]",
      })
  void keys_that_cannot_be_are_refused_at_the_start_and_change_nothing_later(String keys)
      throws IOException {
    SecurityDirectory before = read();
    put("keys.json", keys);
    assertThat(refused()).contains("keys.json is no list of keys", "see docs/operate/security.md");
    before.look();
    before.look();
    assertThat(logged.at(Level.ERROR))
        .singleElement()
        .asString()
        .contains("keys.json", "the server keeps its current keys");
    assertThat(before.key(TestSecurity.ADMIN_KEY)).isPresent();
  }

  @Test
  void keys_that_another_master_key_has_sealed_are_told_at_the_start() throws IOException {
    put("master.key", "5b".repeat(32));
    assertThat(refused()).contains("keys.json", TestSecurity.ADMIN_KEY, "another master key");
  }

  @Test
  void one_id_twice_is_refused_and_no_secret_is_shown() throws IOException {
    put("keys.json", TestSecurity.keysJson(bob(), bob()));
    assertThat(refused())
        .contains("keys.json is no list of keys", BOB_KEY)
        .doesNotContain(bob().sealedSecrets().get(0));
  }

  @Test
  void without_keys_there_is_no_administrator() throws IOException {
    Files.delete(directory.resolve("keys.json"));
    assertThat(read().principals()).isEmpty();
    put("keys.json", "[]");
    assertThat(read().principals()).isEmpty();
  }

  @Test
  void keys_are_read_again_when_they_change_and_only_then() throws IOException {
    SecurityDirectory security = read();
    security.look();
    assertThat(logged.at(Level.INFO)).isEmpty();
    put("keys.json", TestSecurity.keysJson(bob()));
    assertThat(security.key(BOB_KEY)).as("nobody has looked yet").isEmpty();
    security.look();
    assertThat(security.key(BOB_KEY)).contains(bob());
    assertThat(security.key(TestSecurity.ADMIN_KEY)).isEmpty();
    assertThat(security.principals()).containsExactly(Principal.ofKey("bob"));
    assertThat(logged.at(Level.INFO)).singleElement().asString().contains("was read again: 1 keys");
    Files.delete(directory.resolve("keys.json"));
    security.look();
    assertThat(security.principals()).as("there are none any more").isEmpty();
  }

  @Test
  void a_file_that_is_replaced_by_one_of_the_same_size_at_the_same_time_is_read()
      throws IOException {
    SecurityDirectory security = read();
    Path keys = directory.resolve("keys.json");
    FileTime modified = Files.getLastModifiedTime(keys);
    String other = Files.readString(keys).replace("\"admin\"", "\"nimda\"");
    Files.writeString(directory.resolve("new"), other);
    Files.setLastModifiedTime(directory.resolve("new"), modified);
    Files.move(directory.resolve("new"), keys, StandardCopyOption.ATOMIC_MOVE);
    security.look();
    assertThat(security.principals()).containsExactly(Principal.ofKey("nimda"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatever_is_in_the_files_they_are_read_or_refused_in_words(long seed) throws IOException {
    TestSecurity.writePkcs12(directory, OURS.server());
    Random random = new Random(seed);
    Map<String, byte[]> good = new HashMap<>();
    List<String> names =
        List.of("authority.crt", "server.crt", "server.key", "server.p12", "keys.json");
    for (String name : names) {
      good.put(name, Files.readAllBytes(directory.resolve(name)));
    }
    byte[] store = good.get("server.p12");
    for (int i = 0; i < 60; i++) {
      String name = names.get(random.nextInt(names.size()));
      boolean isPem = name.startsWith("server.") && !name.equals("server.p12");
      if (isPem) {
        Files.deleteIfExists(directory.resolve("server.p12"));
      } else {
        Files.write(directory.resolve("server.p12"), store);
      }
      Files.write(directory.resolve(name), mutated(good.get(name), random));
      try {
        assertThat(read()).isNotNull();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining(directory.toString());
      }
      Files.write(directory.resolve(name), good.get(name));
    }
  }

  private static byte[] mutated(byte[] bytes, Random random) {
    byte[] other = bytes.clone();
    switch (random.nextInt(3)) {
      case 0 -> other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> other = Arrays.copyOf(other, random.nextInt(other.length));
      default -> {
        int at = random.nextInt(other.length);
        byte[] noise = new byte[Math.min(40, other.length - at)];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, other, at, noise.length);
      }
    }
    return other;
  }
}
