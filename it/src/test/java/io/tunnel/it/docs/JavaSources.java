package io.tunnel.it.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Compiles what documents show. */
final class JavaSources {

  private JavaSources() {}

  /** What the compiler says against the source; empty when there is nothing. */
  static String compile(Path source, Path classes) throws IOException {
    Files.createDirectories(classes);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                said,
                said,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
    return result == 0 ? "" : said.toString(StandardCharsets.UTF_8);
  }
}
