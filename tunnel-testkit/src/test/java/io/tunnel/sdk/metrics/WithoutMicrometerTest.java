package io.tunnel.sdk.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A program that has no Micrometer on its class path uses the SDK all the same. */
class WithoutMicrometerTest {

  /** The class path of this test without Micrometer. */
  private static URL[] classPath() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!Path.of(entry).getFileName().toString().startsWith("micrometer")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return urls.toArray(URL[]::new);
  }

  @Test
  void rows_are_written_and_processed_where_there_is_no_micrometer() throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      assertThatThrownBy(() -> loader.loadClass("io.micrometer.core.instrument.MeterRegistry"))
          .isInstanceOf(ClassNotFoundException.class);
      Class<?> program = loader.loadClass(Program.class.getName());
      assertThat(program.getClassLoader()).isSameAs(loader);
      assertThat(program.getMethod("run").invoke(null)).isEqualTo(3L);
    }
  }

  @Test
  void this_test_has_micrometer() throws IOException {
    assertThat(classPath().length)
        .isLessThan(System.getProperty("java.class.path").split(File.pathSeparator, -1).length);
  }
}
