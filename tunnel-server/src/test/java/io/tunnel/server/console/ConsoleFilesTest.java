package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class ConsoleFilesTest {

  private static final Pattern IMPORT =
      Pattern.compile("(?:\\bfrom|\\bimport)\\s*\\(?\\s*[\"']([^\"'\\s]+)[\"']");

  private static String body(ConsoleFiles files, String path) {
    return new String(files.file(path, "").orElseThrow().body(), StandardCharsets.UTF_8);
  }

  @Test
  void every_import_of_a_script_is_the_path_of_a_file_that_is_served() throws IOException {
    ConsoleFiles files = ConsoleFiles.read();
    List<String> scripts = files.paths().stream().filter(path -> path.endsWith(".js")).toList();
    assertThat(scripts)
        .contains(
            "/console/lib/lit/index.js",
            "/console/lib/lit-html/directives/repeat.js",
            "/console/lib/uplot/uPlot.esm.js");
    for (String script : scripts) {
      Matcher imports = IMPORT.matcher(body(files, script));
      while (imports.find()) {
        assertThat(files.paths())
            .as("%s imports %s", script, imports.group(1))
            .contains(URI.create(script).resolve(imports.group(1)).getPath());
      }
    }
  }

  @Test
  void names_of_libraries_become_paths_and_other_texts_stay() {
    assertThat(ConsoleFiles.pathOf("lit")).isEqualTo("/console/lib/lit/index.js");
    assertThat(ConsoleFiles.pathOf("lit/directives/repeat.js"))
        .isEqualTo("/console/lib/lit/directives/repeat.js");
    assertThat(ConsoleFiles.pathOf("@lit/reactive-element/css-tag.js"))
        .isEqualTo("/console/lib/lit__reactive-element/css-tag.js");
    assertThat(ConsoleFiles.pathOf("uplot")).isEqualTo("/console/lib/uplot/uPlot.esm.js");
    assertThat(ConsoleFiles.pathOf("little")).isEqualTo("little");
  }

  @Test
  void files_that_no_page_needs_are_not_served() throws IOException {
    ConsoleFiles files = ConsoleFiles.read();
    assertThat(files.paths())
        .contains("/", "/console/", "/console/lib/uplot/uPlot.min.css")
        .noneMatch(path -> path.endsWith(".json") || path.endsWith(".md") || path.endsWith(".ts"))
        .noneMatch(path -> path.contains("/development/") || path.contains("/node/"));
  }

  @Test
  void a_copy_that_is_current_is_not_sent_again() throws IOException {
    ConsoleFiles files = ConsoleFiles.read();
    Answer first = files.file("/", "").orElseThrow();
    String tag = first.headers().get("etag");
    assertThat(files.file("/", tag).orElseThrow().status())
        .isEqualTo(HttpResponseStatus.NOT_MODIFIED);
    assertThat(files.file("/", "\"another\"").orElseThrow().status())
        .isEqualTo(HttpResponseStatus.OK);
  }
}
