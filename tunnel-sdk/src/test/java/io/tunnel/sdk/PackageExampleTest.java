package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the packages' documentation are code that compiles. */
class PackageExampleTest {

  private static final Path SOURCE = Path.of("src/main/java/io/tunnel/sdk/package-info.java");
  private static final Path KIT = Path.of("src/main/java/io/tunnel/sdk/testing/package-info.java");
  private static final String PROCESSOR = "final class PrintProcessor";

  @TempDir Path classes;

  @Test
  void the_example_of_the_package_compiles() throws IOException {
    String example = example(SOURCE);
    int processor = example.indexOf(PROCESSOR);
    assertThat(processor).isPositive();
    String program =
        """
        import io.tunnel.model.*;
        import io.tunnel.sdk.*;
        import java.time.Duration;
        import java.util.List;
        class Example {
          void run() {
        %s
          }
          static %s
        }
        """
            .formatted(example.substring(0, processor), example.substring(processor));
    assertThat(compile(program)).isEmpty();
  }

  @Test
  void the_example_of_the_test_kit_compiles_and_passes() throws Exception {
    String program =
        """
        import io.tunnel.model.*;
        import io.tunnel.sdk.*;
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
    assertThat(compile(program)).isEmpty();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      ((Runnable) loader.loadClass("Example").getDeclaredConstructor().newInstance()).run();
    }
  }

  private static String example(Path source) throws IOException {
    String text = Files.readString(source);
    return text.substring(text.indexOf("<pre>{@code\n") + 12, text.indexOf("}</pre>"))
        .lines()
        .map(line -> line.replaceFirst("^ \\* ?", ""))
        .collect(Collectors.joining("\n"));
  }

  private String compile(String program) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return program;
          }
        };
    List<String> options =
        List.of(
            "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
    boolean compiles =
        compiler.getTask(messages, null, null, options, null, List.of(source)).call();
    return compiles ? "" : messages + "\n" + program;
  }
}
