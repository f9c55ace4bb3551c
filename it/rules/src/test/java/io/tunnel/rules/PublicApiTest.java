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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What users compile against is written down in {@code api}, so that a change of it is seen in a
 * review and never an accident.
 */
class PublicApiTest {

  private static final Map<String, List<String>> PACKAGES =
      Map.of(
          "tunnel-sdk",
          List.of(
              "io.tunnel.condition",
              "io.tunnel.model",
              "io.tunnel.model.value",
              "io.tunnel.sdk",
              "io.tunnel.sdk.checkpoint",
              "io.tunnel.sdk.cluster",
              "io.tunnel.sdk.metrics",
              "io.tunnel.sdk.processor",
              "io.tunnel.sdk.security",
              "io.tunnel.sdk.table",
              "io.tunnel.sdk.tunnel",
              "io.tunnel.sdk.watch"),
          "tunnel-testkit",
          List.of("io.tunnel.sdk.testing"),
          "tunnel-flink",
          List.of(
              "io.tunnel.flink",
              "io.tunnel.flink.sink",
              "io.tunnel.flink.source",
              "io.tunnel.flink.table"));

  private static final JavaClasses MAIN = ModuleClasses.main();

  @ParameterizedTest
  @ValueSource(strings = {"tunnel-sdk", "tunnel-testkit", "tunnel-flink"})
  void the_public_api_is_the_one_that_was_reviewed(String module) throws IOException {
    Path reviewed = Modules.root().resolve("it/rules/api").resolve(module + ".api");
    String now = PublicApi.text(MAIN, PACKAGES.get(module));
    Path found = Modules.root().resolve("it/rules/target/api").resolve(module + ".api");
    Files.createDirectories(found.getParent());
    Files.writeString(found, now);
    assertThat(Files.exists(reviewed) ? Files.readString(reviewed) : "")
        .as("the public API of %s; if the change is meant: cp %s %s", module, found, reviewed)
        .isEqualTo(now);
  }

  /** What the wire says may change with a version; what users compile against may not. */
  @Test
  void no_public_member_shows_a_type_of_the_protocol() {
    List<String> shown =
        PACKAGES.values().stream()
            .flatMap(packages -> PublicApi.types(MAIN, packages).stream())
            .flatMap(type -> PublicApi.shownOfProtocol(type).stream())
            .sorted()
            .toList();
    assertThat(shown).isEmpty();
  }

  @Test
  void fields_constructors_methods_and_what_they_throw_are_part_of_it() {
    JavaClasses sample = new ClassFileImporter().importClasses(Sample.class, Sample.Kind.class);
    assertThat(PublicApi.text(sample, List.of("io.tunnel.rules"))).isEmpty();
    assertThat(PublicApi.members(sample.get(Sample.class)).map(member -> member.getName()))
        .containsExactlyInAnyOrder("<init>", "LIMIT", "names", "open");
    assertThat(PublicApi.members(sample.get(Sample.Kind.class)).map(member -> member.getName()))
        .containsExactly("ONE");
  }

  /** Not public itself, so no user can name it. */
  static class Sample {
    /** A constant. */
    public static final int LIMIT = 1;

    private final List<String> names = List.of();

    /** Of every user. */
    protected Sample() {}

    /** A method. */
    public List<String> names() {
      return names;
    }

    /** Throws. */
    public void open() throws IOException {
      inside();
    }

    void inside() throws IOException {
      throw new IOException("not for users");
    }

    @Override
    public String toString() {
      return "a sample";
    }

    /** An enum. */
    public enum Kind {
      /** A constant. */
      ONE
    }
  }
}
