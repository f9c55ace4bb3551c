package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the packages' documentation are code that compiles. */
class PackageExampleTest {

  private static final Path SOURCE =
      Path.of("../tunnel-sdk/src/main/java/io/tunnel/sdk/package-info.java");
  private static final Path KIT = Path.of("src/main/java/io/tunnel/sdk/testing/package-info.java");

  private static final Path README = Path.of("../README.md");

  @TempDir Path classes;

  @Test
  void the_example_of_the_package_compiles() throws IOException {
    assertThat(compile("Audit", example(SOURCE))).isEmpty();
  }

  @Test
  void the_example_of_the_test_kit_compiles_and_passes() throws Exception {
    String program =
        """
        import io.tunnel.model.*;
        import io.tunnel.model.value.*;
        import io.tunnel.sdk.*;
        import io.tunnel.sdk.processor.*;
        import io.tunnel.sdk.table.*;
        import io.tunnel.sdk.tunnel.*;
        import io.tunnel.sdk.testing.*;
        import java.util.*;
        import java.util.concurrent.*;
        public class Example implements Runnable {
          public void run() {
            counts_every_user_once_also_when_the_connection_is_lost();
          }
        %s
        }
        """
            .formatted(example(KIT));
    assertThat(compile("Example", program)).isEmpty();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      ((Runnable) loader.loadClass("Example").getDeclaredConstructor().newInstance()).run();
    }
  }

  @Test
  void the_example_of_the_readme_compiles_as_it_is_pasted() throws IOException {
    assertThat(compile("Guests", exampleOfReadme())).isEmpty();
  }

  /** What a user does who changes a line and starts it again. */
  @Test
  void the_example_of_the_readme_runs_twice() throws Exception {
    try (InMemoryTunnelService service = InMemoryTunnelService.start()) {
      String program =
          exampleOfReadme()
              .replace("localhost:7650", service.endpoint())
              .replace("System.in.read();", "");
      assertThat(compile("Guests", program)).isEmpty();
      try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
        var main = loader.loadClass("Guests").getMethod("main", String[].class);
        main.invoke(null, (Object) new String[0]);
        main.invoke(null, (Object) new String[0]);
      }
    }
  }

  private static String exampleOfReadme() throws IOException {
    String readme = Files.readString(README);
    int begin = readme.indexOf("```java\n") + 8;
    return readme.substring(begin, readme.indexOf("```", begin));
  }

  @Test
  void the_readme_and_the_bom_name_the_version_that_is_built() throws IOException {
    String version = first("<version>([^<]+)</version>", Files.readString(Path.of("../pom.xml")));
    String readme = Files.readString(README);
    assertThat(first("<artifactId>tunnel-sdk</artifactId>\\s*<version>([^<]+)<", readme))
        .isEqualTo(version);
    assertThat(first("<artifactId>tunnel-bom</artifactId>\\s*<version>([^<]+)<", readme))
        .isEqualTo(version);
    String bom = Files.readString(Path.of("../packaging/bom/pom.xml"));
    assertThat(first("<artifactId>tunnel-bom</artifactId>\\s*<version>([^<]+)<", bom))
        .isEqualTo(version);
    for (String artifact :
        List.of("tunnel-protocol", "tunnel-sdk", "tunnel-testkit", "tunnel-flink")) {
      assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>");
    }
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  private static String example(Path source) throws IOException {
    String text = Files.readString(source);
    return text.substring(text.indexOf("<pre>{@code\n") + 12, text.indexOf("}</pre>"))
        .lines()
        .map(line -> line.replaceFirst("^ \\* ?", ""))
        .collect(Collectors.joining("\n"));
  }

  private String compile(String name, String program) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    JavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return program;
          }
        };
    List<String> options =
        List.of(
            "-proc:none",
            "-Xlint:all,-classfile",
            "-Werror",
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    boolean compiles =
        compiler.getTask(messages, null, null, options, null, List.of(source)).call();
    return compiles ? "" : messages + "\n" + program;
  }
}
