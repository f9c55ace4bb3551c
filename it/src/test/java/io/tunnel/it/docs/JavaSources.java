package io.tunnel.it.docs;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Compiles what documents show. */
final class JavaSources {

  private JavaSources() {}

  /** What a program of a page may use: this test's class path and earlier programs of the page. */
  static String classPath(Path classes) {
    return System.getProperty("java.class.path") + File.pathSeparator + classes;
  }

  /**
   * What the compiler says against the source, which may use {@code classes} that were compiled
   * before; empty when there is nothing.
   */
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
                classPath(classes),
                "-d",
                classes.toString(),
                source.toString());
    return result == 0 ? "" : said.toString(StandardCharsets.UTF_8);
  }
}
