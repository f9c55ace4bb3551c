package io.tunnel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the launcher starts Java, by a stand-in for Java that says how it was started. */
class LauncherTest {

  private static final Path BASH = Path.of("/bin/bash");

  @TempDir Path directory;
  private Path home;
  private Path java;

  @BeforeEach
  void a_launcher_beside_its_libraries() throws IOException {
    assumeTrue(Files.isExecutable(BASH), "needs bash");
    home = Files.createDirectories(directory.resolve("home"));
    Files.createDirectories(home.resolve("lib"));
    Files.copy(Path.of("../tunnel"), home.resolve("tunnel"));
    Files.setLastModifiedTime(home.resolve("lib"), FileTime.fromMillis(1_700_000_000_000L));
    java = Files.createDirectories(directory.resolve("java"));
    Files.writeString(java.resolve("release"), "JAVA_VERSION=\"17.0.99\"\n");
    program(
        "java",
        """
        for argument in "$@"; do
          case "$argument" in
            -XX:DumpLoadedClassList=*) echo Some/Class >"${argument#*=}" ;;
            -XX:SharedArchiveFile=*) [ "${FAILS:-}" ] || [[ "$*" != *-Xshare:dump* ]] || echo archive >"${argument#*=}" ;;
          esac
        done
        echo "$LC_CTYPE|$LC_MESSAGES|${LC_ALL-none}|$*"
        echo "$*" >>"$LOG"
        """);
  }

  private void program(String name, String text) throws IOException {
    Path file = Files.createDirectories(java.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String start(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 2];
    command[0] = BASH.toString();
    command[1] = home.resolve("tunnel").toString();
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> all = builder.environment();
    List.of("LANG", "LC_ALL", "LC_CTYPE", "TUNNEL_JAVA_OPTS").forEach(all::remove);
    all.put("JAVA_HOME", java.toString());
    all.put("PATH", java.resolve("bin") + ":" + all.get("PATH"));
    all.put("LOG", directory.resolve("started").toString());
    all.putAll(environment);
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text).isZero();
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

  @Test
  void the_archive_of_classes_is_made_once_for_a_build_and_used_by_commands_that_end_soon()
      throws Exception {
    system("C.UTF-8");
    String archive = "-XX:SharedArchiveFile=" + home.resolve("classes-17.0.99.jsa") + " ";
    assertThat(start(Map.of(), "tables", "list")).contains(archive).contains("TieredStopAtLevel=1");
    assertThat(started()).hasSize(3).element(1).asString().contains("-Xshare:dump");
    assertThat(start(Map.of(), "tunnels", "list")).contains(archive);
    assertThat(start(Map.of(), "tables", "put", "--from", "-"))
        .contains(archive)
        .doesNotContain("TieredStopAtLevel=1");
    assertThat(started()).as("made once").hasSize(5);
    Files.setLastModifiedTime(
        home.resolve("lib"),
        FileTime.fromMillis(
            Files.getLastModifiedTime(home.resolve("classes-17.0.99.jsa")).toMillis() + 2_000));
    start(Map.of(), "tables", "list");
    assertThat(started()).as("made again for another build").hasSize(8);
  }

  @Test
  void where_no_archive_can_be_made_commands_start_without_it_and_do_not_try_again()
      throws Exception {
    system("C.UTF-8");
    for (int starts = 3; starts <= 5; starts++) {
      assertThat(start(Map.of("FAILS", "1"), "tables", "list"))
          .contains("TunnelCommand tables list")
          .doesNotContain("SharedArchiveFile");
      assertThat(started()).hasSize(starts);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"server", "demo", "bench", "stress", "torture"})
  void programs_that_run_for_long_start_as_they_did(String program) throws Exception {
    system("C.UTF-8");
    assertThat(start(Map.of(), program))
        .doesNotContain("SharedArchiveFile", "TieredStopAtLevel")
        .endsWith("io.tunnel.cli.TunnelCommand " + program);
  }

  @Test
  void the_options_of_the_user_come_last_and_so_win() throws Exception {
    system("C.UTF-8");
    assertThat(start(Map.of("TUNNEL_JAVA_OPTS", "-Xmx9g -Dx=y"), "tables", "list"))
        .contains(" -Xmx9g -Dx=y -cp ");
  }
}
