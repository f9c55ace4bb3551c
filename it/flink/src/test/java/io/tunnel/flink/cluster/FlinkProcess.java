package io.tunnel.flink.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One of Flink's programs in a JVM of its own, as its scripts start it. What it says is in a file.
 * It dies with the test, or with the JVM of the tests at the latest.
 */
final class FlinkProcess implements AutoCloseable {

  /** How long a program that ends by itself may take on a loaded machine. */
  private static final Duration END = Duration.ofSeconds(90);

  /** A child starts sooner, and leaves more of two cores to others, without the second compiler. */
  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  /** What Flink's own configuration opens to it on JDK 17, {@code env.java.opts.all}. */
  private static final List<String> EXPORTED =
      List.of(
          "java.rmi/sun.rmi.registry",
          "jdk.compiler/com.sun.tools.javac.api",
          "jdk.compiler/com.sun.tools.javac.file",
          "jdk.compiler/com.sun.tools.javac.parser",
          "jdk.compiler/com.sun.tools.javac.tree",
          "jdk.compiler/com.sun.tools.javac.util",
          "java.security.jgss/sun.security.krb5");

  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.net",
          "java.io",
          "java.nio",
          "sun.nio.ch",
          "java.lang.reflect",
          "java.text",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks");

  /**
   * What is started.
   *
   * @param classPath as {@code java -cp} takes it
   * @param logging which of the files in conf/ says what it logs
   */
  record Program(String classPath, String logging, String mainClass) {}

  private final String name;
  private final Path log;
  private final Process process;
  private final Thread reaper;

  private FlinkProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.reaper = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(reaper);
  }

  /**
   * Starts one.
   *
   * @param home has conf/ and log/, and becomes the directory that it works in
   */
  static FlinkProcess start(String name, Path home, Program program, List<String> arguments) {
    Path log = home.resolve("log").resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    EXPORTED.forEach(each -> command.add("--add-exports=" + each + "=ALL-UNNAMED"));
    OPENED.forEach(each -> command.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    Path conf = home.resolve("conf");
    command.add(
        "-Dlog4j.configurationFile=" + conf.resolve(program.logging() + ".properties").toUri());
    command.add("-Djava.io.tmpdir=" + home.resolve("tmp"));
    command.add("-Duser.home=" + home);
    command.addAll(List.of("-cp", program.classPath(), program.mainClass()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
    builder.environment().put("FLINK_CONF_DIR", conf.toString());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    try {
      return new FlinkProcess(name, log, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** The output so far, of both streams. */
  String said() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What it said, under its name. */
  String transcript() {
    return "--- " + name + " (pid " + process.pid() + ")\n" + said() + "\n";
  }

  /** What it said, when it has ended by itself and well. */
  String finished() {
    try {
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + name, e);
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(name + " ended with " + process.exitValue() + "\n" + said());
    }
    return said();
  }

  /** Ends it with SIGKILL and returns when it is gone. Idempotent. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
    var unused = Runtime.getRuntime().removeShutdownHook(reaper);
  }
}
