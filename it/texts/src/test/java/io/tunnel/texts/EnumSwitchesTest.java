package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Switches over the enums of this code are complete. */
class EnumSwitchesTest {

  /** The compiler then names each switch that a new constant is missing from. */
  @Test
  void no_switch_over_an_enum_of_ours_has_a_default() throws IOException {
    List<Path> sources =
        Modules.all().stream().flatMap(module -> Modules.sources(module, "main").stream()).toList();
    assertThat(sources).isNotEmpty();
    assertThat(EnumSwitches.withDefault(sources)).isEmpty();
  }

  @Test
  void a_switch_over_an_enum_of_ours_is_told_from_others(@TempDir Path directory)
      throws IOException {
    Path numbers = directory.resolve("Numbers.java");
    Files.writeString(
        numbers,
        """
        class Numbers {
          static final int ONE = 1;
          int numbers(int of) { return switch (of) { case ONE -> 1; default -> 2; }; }
          int texts(String of) { return switch (of) { case "ONE" -> 1; default -> 2; }; }
        }
        """);
    Path ours = directory.resolve("Ours.java");
    Files.writeString(
        ours,
        """
        enum Ours {
          ONE, TWO;
          int theirs(Theirs of) { return switch (of) { case ONE, OTHER -> 1; default -> 2; }; }
          int all(Ours of) { return switch (of) { case ONE -> 1; case TWO -> 2; }; }
          int some(Ours of) { return switch (of) { case ONE -> 1; default -> 2; }; }
          void old(Ours of) { switch (of) { case TWO: break; default: break; } }
        }
        """);
    assertThat(EnumSwitches.withDefault(List.of(numbers, ours)))
        .containsExactly("Ours.java:5", "Ours.java:6");
  }
}
