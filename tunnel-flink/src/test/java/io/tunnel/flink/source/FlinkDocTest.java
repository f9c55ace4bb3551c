package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
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

/** The programs in docs/flink.md, pasted, compiled and run. */
class FlinkDocTest {

  @TempDir private Path directory;

  @Test
  void the_programs_of_the_page_write_and_read_a_table() throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (LocalServer server = new LocalServer()) {
      server.create("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      run("WriteOrders", server.endpoint());
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      run("ReadOrders", server.endpoint());
    } finally {
      System.setOut(out);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines().filter(l -> l.contains("amount")))
        .hasSize(100)
        .anySatisfy(line -> assertThat(line).contains("\"id\":7", "\"columns\":{\"amount\":70}"));
  }

  private void run(String program, String endpoint) throws Exception {
    compile(program);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
      loader
          .loadClass(program)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {endpoint});
    }
  }

  private void compile(String program) throws Exception {
    Matcher block =
        Pattern.compile("```java\n([^`]*class " + program + "[^`]*)```")
            .matcher(Files.readString(Path.of("../docs/flink.md")));
    assertThat(block.find()).as(program).isTrue();
    Path file = directory.resolve(program + ".java");
    Files.writeString(file, block.group(1));
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
  }
}
