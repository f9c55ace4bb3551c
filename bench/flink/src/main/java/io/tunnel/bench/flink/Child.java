package io.tunnel.bench.flink;

import com.google.gson.Gson;
import io.tunnel.bench.children.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs one measuring process to its end. It is given its order as JSON, and tells its result in a
 * line of its output.
 */
public final class Child {

  /** Before a result. */
  private static final String RESULT = "result ";

  private static final int LOG_LINES_SHOWN_MAX = 40;
  private static final Gson GSON = new Gson();

  private final Children children;
  private final List<String> jvmOptions;
  private final long secondsMax;
  private int started;

  /**
   * Starts its processes with {@code jvmOptions}, and bounds each to {@code secondsMax} seconds.
   */
  Child(Children children, List<String> jvmOptions, long secondsMax) {
    this.children = children;
    this.secondsMax = secondsMax;
    this.jvmOptions = new ArrayList<>(jvmOptions);
    this.jvmOptions.add("-Djava.io.tmpdir=" + children.directory());
    // Flink serialises collections of the JDK.
    this.jvmOptions.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    this.jvmOptions.add("--add-opens=java.base/java.util=ALL-UNNAMED");
  }

  /** Where its processes may leave files. */
  public Path directory() {
    return children.directory();
  }

  /**
   * What {@code mainClass} makes of the order.
   *
   * @throws IllegalStateException when it fails, or is not done in time; shows what it said
   */
  public <T> T run(Class<?> mainClass, Object order, Class<T> result)
      throws IOException, InterruptedException {
    started++;
    String name = "child-" + started;
    Process process =
        children.start(name, jvmOptions, mainClass.getName(), List.of(GSON.toJson(order)));
    boolean isDone = process.waitFor(secondsMax, TimeUnit.SECONDS);
    if (!isDone) {
      process.destroyForcibly().waitFor();
    }
    Path log = children.log(name);
    List<String> said = Files.readAllLines(log);
    if (!isDone || process.exitValue() != 0) {
      int from = Math.max(0, said.size() - LOG_LINES_SHOWN_MAX);
      throw new IllegalStateException(
          "%s %s: %s%n%s"
              .formatted(
                  isDone ? "failed:" : "not done in " + secondsMax + " s:",
                  mainClass.getSimpleName(),
                  GSON.toJson(order),
                  String.join("\n", said.subList(from, said.size()))));
    }
    return said.stream()
        .filter(line -> line.startsWith(RESULT))
        .findFirst()
        .map(line -> GSON.fromJson(line.substring(RESULT.length()), result))
        .orElseThrow(() -> new IllegalStateException("no result of " + mainClass));
  }

  /** For the child: its order. */
  public static <T> T order(String json, Class<T> type) {
    return GSON.fromJson(json, type);
  }

  /** For the child: tells its result. */
  public static void tell(Object result) {
    System.out.println(RESULT + GSON.toJson(result));
  }
}
