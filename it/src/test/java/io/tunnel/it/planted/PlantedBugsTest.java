package io.tunnel.it.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlantedBugsTest {

  private static final Path ROOT = Path.of("..");

  @Test
  void every_patch_says_what_is_lost_and_who_has_to_notice() throws Exception {
    List<PlantedBug> bugs = PlantedBug.all(Path.of("src/test/planted"), List.of());

    assertThat(bugs).hasSizeGreaterThan(40);
    for (PlantedBug bug : bugs) {
      assertThat(bug.files()).as(bug.name()).allMatch(file -> Files.exists(ROOT.resolve(file)));
      for (Judge judge : bug.judges()) {
        if (judge instanceof Judge.Tests tests) {
          Path source =
              ROOT.resolve(tests.module())
                  .resolve("src/test/java")
                  .resolve(tests.className().replace('.', '/') + ".java");
          assertThat(source).as(bug.name()).exists();
        }
      }
    }
  }

  @Test
  void a_judge_is_read_as_it_is_written() {
    for (String text : List.of("sim 7", "cluster 12", "test tunnel-server io.tunnel.A#b")) {
      assertThat(Judge.parse(text)).hasToString(text);
    }
  }

  @Test
  void a_judge_of_another_form_is_refused() {
    for (String text : List.of("sim", "sim x", "test A", "test m A#", "simulation 4", "")) {
      assertThatThrownBy(() -> Judge.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void a_patch_without_a_judge_is_refused(@TempDir Path directory) throws Exception {
    Path patch = directory.resolve("x.patch");
    Files.writeString(patch, "What: nothing\n--- a/pom.xml\n+++ b/pom.xml\n");

    assertThatThrownBy(() -> PlantedBug.read(patch))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Judge:");
  }
}
