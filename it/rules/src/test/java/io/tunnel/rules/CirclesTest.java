package io.tunnel.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.tunnel.texts.Modules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of several packages do not depend on each other in a circle. */
class CirclesTest {

  @Test
  void no_files_of_several_packages_depend_on_each_other_in_a_circle() throws IOException {
    List<Path> sources =
        Modules.all().stream().flatMap(module -> Modules.sources(module, "main").stream()).toList();
    Map<String, Set<String>> files = Circles.dependencies(ModuleClasses.main(), sources);
    assertThat(files.get("io.tunnel.sdk.write.WriteEngine"))
        .contains("io.tunnel.sdk.write.Lane", "io.tunnel.sdk.transport.Nodes");
    assertThat(Circles.throughPackages(files)).isEmpty();
  }

  @Test
  void a_circle_is_shown_once_if_it_leaves_its_package() {
    Map<String, Set<String>> files =
        Map.of(
            "a.One", Set.of("a.Two", "b.Three"),
            "a.Two", Set.of("a.One"),
            "b.Three", Set.of("b.Four"),
            "b.Four", Set.of("a.Two", "b.Five"),
            "b.Five", Set.of());
    assertThat(Circles.throughPackages(files))
        .containsExactly(List.of("a.One", "b.Three", "b.Four", "a.Two"));
  }

  @Test
  void an_import_for_a_comment_is_a_dependency_too(@TempDir Path directory) throws IOException {
    JavaClasses classes = new ClassFileImporter().importClasses(Circles.class, CirclesTest.class);
    Path source = directory.resolve("Circles.java");
    Files.writeString(source, "package io.tunnel.rules;\nimport io.tunnel.rules.CirclesTest.Of;\n");
    assertThat(Circles.dependencies(classes, List.of(source)))
        .isEqualTo(
            Map.of(
                Circles.class.getName(), Set.of(CirclesTest.class.getName()),
                CirclesTest.class.getName(), Set.of(Circles.class.getName())));
  }
}
