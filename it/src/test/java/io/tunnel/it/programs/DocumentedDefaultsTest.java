package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.ServerCommand;
import io.tunnel.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every default that docs/operate/configuration.md names is the program's, and every setting is
 * there.
 */
class DocumentedDefaultsTest {

  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| (.+?) \\| .+ \\|");
  private static final Pattern SETTING = Pattern.compile("[a-z][a-zA-Z]*(\\.[a-zA-Z]+)+");
  private static final Pattern OPTION = Pattern.compile("(--[a-z-]+)( .*)?");
  private static final Pattern DEFAULT = Pattern.compile("\\(default: ([^)]+)\\)");
  private static final Pattern CORES =
      Pattern.compile("(half the )?cores(?:, (\\d+) to (\\d+)|, at least (\\d+))");
  private static final Pattern SIZE = Pattern.compile("(\\d+) (KiB|MiB|GiB)");

  /** What the first column of a table row names, and what the second says. */
  private static Map<String, String> documented(Pattern names) throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.isDirectory(here.resolve("docs")) ? here : here.getParent();
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(root.resolve("docs/operate/configuration.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches() && names.matcher(row.group(1)).matches()) {
        rows.put(row.group(1), row.group(2));
      }
    }
    return rows;
  }

  /** The value that a description such as {@code 256 MiB} or {@code 3,600,000 (1 h)} means. */
  private static String value(String text, int cores) {
    String plain = text.replaceAll(" \\(.*\\)$", "").replace("`", "").replaceAll("(?<=\\d),", "");
    Matcher ofCores = CORES.matcher(text);
    if (ofCores.matches()) {
      long count = ofCores.group(1) == null ? cores : cores / 2;
      long min = Long.parseLong(ofCores.group(ofCores.group(4) == null ? 2 : 4));
      long max = ofCores.group(3) == null ? Long.MAX_VALUE : Long.parseLong(ofCores.group(3));
      return Long.toString(Math.max(min, Math.min(max, count)));
    }
    Matcher size = SIZE.matcher(plain);
    if (size.matches()) {
      int shift = Map.of("KiB", 10, "MiB", 20, "GiB", 30).get(size.group(2));
      return Long.toString(Long.parseLong(size.group(1)) << shift);
    }
    return plain;
  }

  private static void flatten(String path, JsonObject tree, Map<String, String> leaves) {
    for (Map.Entry<String, JsonElement> member : tree.entrySet()) {
      if (member.getValue().isJsonObject()) {
        flatten(path + member.getKey() + ".", member.getValue().getAsJsonObject(), leaves);
      } else {
        leaves.put(path + member.getKey(), member.getValue().getAsString());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 6, 48, 400})
  void settings_of_a_server(int cores) throws IOException {
    Map<String, String> actual = new TreeMap<>();
    String json = ServerConfig.defaults(cores).toString();
    flatten("", JsonParser.parseString(json).getAsJsonObject(), actual);
    Map<String, String> said = new TreeMap<>();
    documented(SETTING)
        .forEach((name, text) -> said.put(name, value(text, cores).replaceFirst("^none$", "")));
    assertThat(said).containsExactlyInAnyOrderEntriesOf(actual);
  }

  /**
   * Options say their default in their help; a default that a page does not name counts as none.
   */
  @Test
  void options_of_a_server() throws IOException {
    Map<String, OptionSpec> options =
        new CommandLine(new ServerCommand()).getCommandSpec().optionsMap();
    Map<String, String> rows = documented(OPTION);
    assertThat(rows).isNotEmpty();
    rows.forEach(
        (text, documented) -> {
          Matcher name = OPTION.matcher(text);
          assertThat(name.matches()).isTrue();
          OptionSpec option = options.get(name.group(1));
          assertThat(option).as(text).isNotNull();
          Matcher said = DEFAULT.matcher(String.join(" ", option.description()));
          if (said.find()) {
            assertThat(value(documented, 1)).as(text).isEqualTo(value(said.group(1), 1));
          } else {
            assertThat(documented).as(text).isIn("needed", "none", "`local`");
          }
        });
  }
}
