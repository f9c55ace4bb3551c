package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs in docs/guides/flink.md, pasted, compiled and run. */
class FlinkDocTest {

  @TempDir private Path directory;

  @Test
  void the_programs_of_the_page_write_and_read_a_table() throws Exception {
    try (LocalServer server = new LocalServer()) {
      server.create("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      run("WriteOrders", server.endpoint());
      assertThat(run("ReadOrders", server.endpoint()).lines().filter(l -> l.contains("amount")))
          .hasSize(100)
          .anySatisfy(line -> assertThat(line).contains("\"id\":7", "\"columns\":{\"amount\":70}"));
    }
  }

  /** What a program printed, in a JVM of its own, where Flink finds its classes. */
  private String run(String program, String endpoint) throws Exception {
    compile(program);
    Path printed = directory.resolve(program + ".out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "-cp",
                directory + File.pathSeparator + System.getProperty("java.class.path"),
                program,
                endpoint)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("%s ends", program).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(printed);
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }

  private void compile(String program) throws Exception {
    Matcher block =
        Pattern.compile("```java\n([^`]*class " + program + "[^`]*)```")
            .matcher(Files.readString(Path.of("../docs/guides/flink.md")));
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
