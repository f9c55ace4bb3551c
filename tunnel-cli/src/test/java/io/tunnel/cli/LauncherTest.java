package io.tunnel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How the launcher starts Java, by a stand-in for Java that says how it was started. */
class LauncherTest {

  private static final Path BASH = Path.of("/bin/bash");

  @TempDir Path directory;
  private Path home;
  private Path java;

  @BeforeEach
  void a_launcher_beside_its_libraries() throws IOException {
    assumeTrue(Files.isExecutable(BASH), "needs bash");
    home = Files.createDirectories(directory.resolve("a home with spaces"));
    Files.createFile(Files.createDirectories(home.resolve("lib")).resolve("tunnel-cli-1.jar"));
    Files.copy(Path.of("../tunnel"), home.resolve("tunnel"));
    Files.setLastModifiedTime(home.resolve("lib"), FileTime.fromMillis(1_700_000_000_000L));
    java = Files.createDirectories(directory.resolve("java"));
    java("17.0.99");
    program(
        "java",
        """
        for argument in "$@"; do
          case "$argument" in
            -XX:DumpLoadedClassList=*) echo Some/Class >"${argument#*=}" ;;
            -XX:SharedArchiveFile=*) [[ "$*" != *-Xshare:dump* ]] || echo archive >"${argument#*=}" ;;
            -XX:AOTCacheOutput=*) echo cache >"${argument#*=}" ;;
          esac
        done
        echo "$LC_CTYPE|$LC_MESSAGES|${LC_ALL-none}|$*"
        echo "$*" >>"$LOG"
        case "$*" in *-XX:DumpLoadedClassList=* | *-XX:AOTCacheOutput=*) [ -z "${FAILS:-}" ] || exit 1 ;; esac
        """);
  }

  private void java(String version) throws IOException {
    Files.writeString(java.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
  }

  private void program(String name, String text) throws IOException {
    Path file = Files.createDirectories(java.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String start(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return start(0, home.resolve("tunnel"), environment, arguments);
  }

  private String start(
      int exitCode, Path launcher, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 2];
    command[0] = BASH.toString();
    command[1] = launcher.toString();
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> all = builder.environment();
    List.of(
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "TUNNEL_JAVA_OPTS",
            "TUNNEL_CLASS_CACHE",
            "XDG_CACHE_HOME")
        .forEach(all::remove);
    all.put("HOME", directory.resolve("user").toString());
    all.put("JAVA_HOME", java.toString());
    all.put("PATH", java.resolve("bin") + ":" + all.get("PATH"));
    all.put("LOG", directory.resolve("started").toString());
    all.putAll(environment);
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text).isEqualTo(exitCode);
    return text.strip();
  }

  private List<String> started() throws IOException {
    return Files.readAllLines(directory.resolve("started"));
  }

  /** A system of these locales; without a name the system's is C. */
  private void system(String... locales) throws IOException {
    program(
        "locale",
        """
        case " %s " in
          *" ${LC_CTYPE:-${LANG:-none}} "*)
            case "${LC_CTYPE:-$LANG}" in *8859-1) echo ISO-8859-1 ;; *) echo UTF-8 ;; esac ;;
          *) echo ANSI_X3.4-1968 ;;
        esac
        """
            .formatted(String.join(" ", locales)));
  }

  record Case(Map<String, String> environment, String charset, List<String> locales) {}

  static List<Case> environments() {
    return List.of(
        new Case(Map.of(), "C.UTF-8", List.of("C.UTF-8")),
        new Case(Map.of(), "en_US.UTF-8", List.of("en_US.UTF-8")),
        new Case(Map.of("LC_ALL", "C"), "C.UTF-8", List.of("C.UTF-8")),
        new Case(Map.of("LC_ALL", "POSIX", "LANG", "de.UTF-8"), "C.utf8", List.of("C.utf8")),
        new Case(Map.of("LANG", "not-installed.UTF-8"), "C.UTF-8", List.of("C.UTF-8")),
        new Case(Map.of("LC_ALL", "de.UTF-8"), "de.UTF-8", List.of("C.UTF-8", "de.UTF-8")),
        new Case(Map.of("LC_CTYPE", "de.8859-1"), "de.8859-1", List.of("C.UTF-8", "de.8859-1")),
        new Case(Map.of("LC_CTYPE", "C"), "C", List.of()));
  }

  @ParameterizedTest
  @MethodSource("environments")
  void arguments_are_read_in_utf8_wherever_the_locale_is_c(Case one) throws Exception {
    system(one.locales().toArray(new String[0]));
    // bash itself complains, before the launcher runs, of an LC_ALL that is not installed.
    assertThat(start(one.environment(), "server").lines().filter(line -> !line.startsWith("/bin/")))
        .singleElement()
        .asString()
        .startsWith(one.charset() + "|C|none|");
  }

  /** The recordings in a directory. */
  private static List<String> recordings(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("classes-"))
          .toList();
    }
  }

  @Test
  void classes_are_recorded_once_for_a_build_and_every_program_starts_with_the_recording()
      throws Exception {
    system("C.UTF-8");
    start(Map.of(), "tables", "list");
    assertThat(started()).hasSize(3).element(1).asString().contains("-Xshare:dump");
    String recording = recordings(home).get(0);
    assertThat(recording).matches("classes-17\\.0\\.99-[0-9]+\\.jsa");
    String option = "-XX:SharedArchiveFile=" + home.resolve(recording) + " ";
    assertThat(started().get(2)).contains(option, "TieredStopAtLevel=1");
    assertThat(start(Map.of(), "tables", "put", "--from", "-"))
        .contains(option)
        .doesNotContain("TieredStopAtLevel=1");
    for (String program : List.of("server", "demo", "bench", "stress", "torture", "health")) {
      assertThat(start(Map.of(), program))
          .contains(option)
          .endsWith("io.tunnel.cli.TunnelCommand " + program);
    }
    assertThat(started()).as("recorded once").hasSize(10);
    assertThat(recordings(home)).as("nothing else is left").containsExactly(recording);
    Files.setLastModifiedTime(
        home.resolve("lib"),
        FileTime.fromMillis(Files.getLastModifiedTime(home.resolve(recording)).toMillis() + 2_000));
    start(Map.of(), "tables", "list");
    assertThat(started()).as("recorded again for another build").hasSize(13);
  }

  @Test
  void another_java_or_other_libraries_or_another_place_have_a_recording_of_their_own()
      throws Exception {
    system("C.UTF-8");
    start(Map.of(), "server");
    java("17.0.100");
    start(Map.of(), "server");
    assertThat(recordings(home)).hasSize(2);
    Files.move(home.resolve("lib/tunnel-cli-1.jar"), home.resolve("lib/tunnel-cli-2.jar"));
    start(Map.of(), "server");
    assertThat(recordings(home)).hasSize(3);
    Path moved = directory.resolve("moved");
    Files.move(home, moved);
    start(0, moved.resolve("tunnel"), Map.of(), "server");
    assertThat(recordings(moved)).hasSize(4);
  }

  @Test
  void java_25_records_how_methods_behave_too() throws Exception {
    system("C.UTF-8");
    java("25.0.3");
    start(Map.of(), "server");
    String recording = recordings(home).get(0);
    assertThat(recording).matches("classes-25\\.0\\.3-[0-9]+\\.aot");
    assertThat(started())
        .hasSize(2)
        .last()
        .asString()
        .contains("-XX:AOTCache=" + home.resolve(recording) + " ");
    start(Map.of(), "tables", "list");
    assertThat(started().get(started().size() - 1))
        .as("what ends soon would only wait for the links")
        .contains("-XX:SharedArchiveFile=")
        .doesNotContain("AOTCache");
  }

  @Test
  void where_nothing_can_be_recorded_programs_start_without_and_do_not_try_again()
      throws Exception {
    system("C.UTF-8");
    for (String version : List.of("17.0.99", "25.0.3")) {
      java(version);
      int before = Files.exists(directory.resolve("started")) ? started().size() : 0;
      for (int starts = 2; starts <= 4; starts++) {
        assertThat(start(Map.of("FAILS", "1"), "server"))
            .contains("TunnelCommand server")
            .doesNotContain("SharedArchiveFile", "AOTCache");
        assertThat(started()).hasSize(before + starts);
      }
    }
  }

  @Test
  void one_variable_says_where_the_recording_is_kept_or_that_there_is_none() throws Exception {
    system("C.UTF-8");
    assertThat(start(Map.of("TUNNEL_CLASS_CACHE", "off"), "server"))
        .doesNotContain("SharedArchiveFile");
    assertThat(started()).hasSize(1);
    Path cache = directory.resolve("some/cache");
    assertThat(start(Map.of("TUNNEL_CLASS_CACHE", cache.toString()), "server"))
        .contains("-XX:SharedArchiveFile=" + cache.resolve("classes-17.0.99-"));
    assertThat(recordings(home)).isEmpty();
    assertThat(recordings(cache)).hasSize(1);
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(start(Map.of("TUNNEL_CLASS_CACHE", file.toString()), "server"))
        .as("a place that cannot be")
        .endsWith("io.tunnel.cli.TunnelCommand server")
        .doesNotContain("SharedArchiveFile");
  }

  /** The directory may be any of the user's. */
  @Test
  void only_what_the_launcher_has_made_is_deleted_from_the_directory_of_recordings()
      throws Exception {
    system("C.UTF-8");
    Path cache = Files.createDirectories(directory.resolve("cache"));
    List<String> foreign =
        List.of(
            "classes-2025.txt",
            "classes-2024-10-05.jsa",
            "classes-1-2.aot",
            "classes-17-notes.jsa",
            "classes-17.0.1-123.jsa.bak",
            "classes-17.0.1-123.jsa.part",
            "classes-17.0.1-123.jsa.partners",
            "my-classes-17.0.1-123.jsa",
            "classes-of-2025/photo");
    List<String> own =
        List.of(
            "classes-17.0.1-123.jsa",
            "classes-25.0.1-ea-7.aot",
            "classes-17.0.1-123.jsa.part99",
            "classes-17.0.1-123.jsa.part99.classes",
            "classes-17.0.1-123.jsa.part99.data/log");
    List<String> all = new ArrayList<>(foreign);
    all.addAll(own);
    all.add("classes-17.0.1-9.jsa/photo");
    FileTime old = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
    for (String name : all) {
      Path file = cache.resolve(name);
      Files.createDirectories(file.getParent());
      Files.setLastModifiedTime(Files.createFile(file), old);
      if (!file.getParent().equals(cache)) {
        Files.setLastModifiedTime(file.getParent(), old);
      }
    }
    Path link = cache.resolve("classes-17.0.1-8.jsa");
    Files.createSymbolicLink(link, cache.resolve("classes-2025.txt"));
    Path young = Files.createFile(cache.resolve("classes-17.0.2-5.jsa"));
    assertThat(start(Map.of("TUNNEL_CLASS_CACHE", cache.toString()), "server"))
        .contains("-XX:SharedArchiveFile=" + cache.resolve("classes-17.0.99-"));
    for (String name : foreign) {
      assertThat(cache.resolve(name)).exists();
    }
    assertThat(cache.resolve("classes-17.0.1-9.jsa/photo")).as("a directory").exists();
    assertThat(link).exists();
    assertThat(young).exists();
    for (String name : own) {
      assertThat(cache.resolve(name)).doesNotExist();
    }
  }

  @Test
  void a_question_for_health_waits_for_no_recording() throws Exception {
    system("C.UTF-8");
    assertThat(start(Map.of(), "health")).doesNotContain("SharedArchiveFile");
    assertThat(started()).hasSize(1);
  }

  @Test
  void a_symbolic_link_starts_the_programs_where_the_launcher_is() throws Exception {
    system("C.UTF-8");
    Path link = Files.createSymbolicLink(directory.resolve("link"), home.resolve("tunnel"));
    assertThat(start(0, link, Map.of(), "server")).contains("-cp " + home.resolve("lib") + "/* ");
  }

  @Test
  void a_java_that_is_too_old_is_named() throws Exception {
    system("C.UTF-8");
    java("11.0.2");
    assertThat(start(69, home.resolve("tunnel"), Map.of(), "server"))
        .isEqualTo(
            "tunnel: %s is Java 11.0.2. Java 17 or newer is needed: set JAVA_HOME to one."
                .formatted(java.resolve("bin/java")));
    java("1.8.0_392");
    assertThat(start(69, home.resolve("tunnel"), Map.of(), "server")).contains("is Java 8.0_392");
  }

  @Test
  void the_options_of_the_user_come_last_and_so_win() throws Exception {
    system("C.UTF-8");
    assertThat(start(Map.of("TUNNEL_JAVA_OPTS", "-Xmx9g -Dx=y"), "tables", "list"))
        .contains(" -Xmx9g -Dx=y -cp ");
  }
}
