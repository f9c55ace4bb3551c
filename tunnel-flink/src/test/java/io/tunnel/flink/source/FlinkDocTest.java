package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/flink.md, pasted, compiled and run. */
class FlinkDocTest {

  private static final Pattern PROGRAM = Pattern.compile("```java\n([^`]*class ReadOrders[^`]*)```");

  @TempDir private Path directory;

  @Test
  void the_program_of_the_page_reads_a_table() throws Exception {
    Matcher program = PROGRAM.matcher(Files.readString(Path.of("../docs/flink.md")));
    assertThat(program.find()).isTrue();
    Path file = directory.resolve("ReadOrders.java");
    Files.writeString(file, program.group(1));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                file.toString());
    assertThat(result).isZero();
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (Served served = new Served();
        URLClassLoader loader =
            new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
      served.create("orders", 2);
      served.write("orders", List.of(Served.put(0, "a", "x"), Served.put(1, "b", "Köln")));
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass("ReadOrders")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {served.endpoint()});
    } finally {
      System.setOut(out);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("\"id\":\"a\"", "\"columns\":{\"value\":\"Köln\"}");
  }
}
