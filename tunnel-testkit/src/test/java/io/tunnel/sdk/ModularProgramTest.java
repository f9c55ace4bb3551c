package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A modular program compiles against the SDK and the test kit, and runs. */
@Tag("proof-programs")
class ModularProgramTest {

  private static final String DESCRIPTOR =
      """
      module app {
        requires io.tunnel.sdk;
        requires io.tunnel.testkit;
      }
      """;

  private static final String PROGRAM =
"""
      package app;

      import io.tunnel.model.*;
      import io.tunnel.model.value.PrimaryKeyType;
      import io.tunnel.sdk.*;
      import io.tunnel.sdk.table.CreateTableRequest;
      import io.tunnel.sdk.testing.InMemoryTunnelService;
      import io.tunnel.sdk.tunnel.CreateTunnelRequest;
      import java.util.ArrayList;
import java.util.List;

      public final class Main {
        public static void main(String[] args) {
          try (InMemoryTunnelService service = InMemoryTunnelService.start();
              TableClient tables = TableClient.connect(service.endpoint());
              TunnelClient tunnels = new TunnelClient(service.endpoint())) {
            tables.createTable(
                CreateTableRequest.builder("users").key("id", PrimaryKeyType.INTEGER).build());
            String tunnelId =
                tunnels
                    .createTunnel(new CreateTunnelRequest("users", "audit", TunnelType.Stream))
                    .getTunnelId();
            PrimaryKey ada = PrimaryKey.builder().add("id", 7).build();
            tables.write("users", List.of(new RowPutChange(ada, List.of())));
            TunnelWorkerConfig config =
                new TunnelWorkerConfig(
                    input -> input.getRecords().forEach(r -> System.out.println(r.getPrimaryKey())));
            try (TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config)) {
              worker.connectAndWorking();
              service.awaitProcessed("users", "audit");
            }
          }
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void a_modular_program_writes_and_processes() throws Exception {
    Path classes = directory.resolve("app");
    compile(classes);
    Path errors = directory.resolve("errors");
    Path output = directory.resolve("output");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                classes + File.pathSeparator + modulePath(),
                "--add-modules",
                "org.jctools.core",
                "-m",
                "app/app.Main")
            .redirectError(errors.toFile())
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(program.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(program.exitValue()).as("%s", Files.readString(errors)).isZero();
    } finally {
      program.destroyForcibly();
    }
    assertThat(Files.readString(output)).contains("(id=7)");
    assertThat(Files.readString(errors)).as("what the JVM warns of").doesNotContain("WARNING");
  }

  private void compile(Path classes) throws Exception {
    Path source = Files.createDirectories(directory.resolve("src/app"));
    Path descriptor = source.resolveSibling("module-info.java");
    Path main = source.resolve("Main.java");
    Files.writeString(descriptor, DESCRIPTOR);
    Files.writeString(main, PROGRAM);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-proc:none", "-d", classes.toString(), "--module-path", modulePath());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiles =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjects(descriptor, main))
              .call();
      assertThat(compiles).as("%s", messages).isTrue();
    }
  }

  /**
   * The module path of a program that depends on the kit, without this module's tests and their
   * libraries. Classes of a module without a descriptor become a jar, as for users.
   */
  private String modulePath() throws IOException {
    List<String> path = new ArrayList<>();
    for (String at : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path classes = Path.of(at).toAbsolutePath();
      boolean isOfTests =
          at.contains("test-classes")
              || at.matches(
                  ".*(junit|assertj|byte-buddy|apiguardian|opentest4j|archunit|micrometer).*");
      if (!isOfTests) {
        boolean isUnnamed =
            Files.isDirectory(classes) && !Files.exists(classes.resolve("module-info.class"));
        path.add(isUnnamed ? jar(classes).toString() : at);
      }
    }
    return String.join(File.pathSeparator, path);
  }

  /** Named as Maven would name the jar, after which a module without a name is called. */
  private Path jar(Path classes) throws IOException {
    Path module = classes;
    while (!Files.exists(module.resolve("pom.xml"))) {
      module = module.getParent();
    }
    String name = String.valueOf(module.getFileName());
    Path jar = directory.resolve(name + ".jar");
    if (Files.exists(jar)) {
      return jar;
    }
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .putValue("Automatic-Module-Name", name.replaceFirst("tunnel-", "io.tunnel."));
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    return jar;
  }
}
