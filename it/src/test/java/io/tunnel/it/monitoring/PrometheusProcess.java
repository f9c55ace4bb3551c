package io.tunnel.it.monitoring;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.FreePort;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Stage;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A real Prometheus that scrapes what a test names and evaluates alerts, both every second. It ends
 * with the test.
 */
public final class PrometheusProcess implements AutoCloseable {

  private static final String EACH = "1s";
  private static final int OK = 200;
  private static final int LOG_LINES_MAX = 20;

  private final Path directory;
  private final int port = FreePort.find();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, Integer> targets = new TreeMap<>();
  private final Process process;

  /**
   * What Prometheus shows to a closed server.
   *
   * @param authority whose certificates it trusts
   * @param token of a principal that may read figures
   */
  public record Admission(Path authority, Path token) {}

  private PrometheusProcess(Path directory, AlertRules rules, Optional<Admission> admission)
      throws IOException {
    this.directory = Files.createDirectories(directory);
    Files.writeString(directory.resolve("rules.yml"), rules.toFile());
    writeTargets();
    // JSON is YAML.
    Path config = directory.resolve("prometheus.yml");
    Files.writeString(config, new Gson().toJson(config(admission)));
    process =
        new ProcessBuilder(
                program("prometheus").toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port,
                "--log.level=warn")
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
  }

  /** Starts a Prometheus that evaluates {@code rules}, and returns at its first answer. */
  public static PrometheusProcess start(
      Stage stage, AlertRules rules, Optional<Admission> admission) {
    try {
      PrometheusProcess started =
          stage.closing(new PrometheusProcess(stage.path("prometheus"), rules, admission));
      Poll.until(Poll.LONG, started::isReady, () -> "Prometheus answers: " + started.logged());
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The program of that name; of Debian's package {@code prometheus}. */
  static Path program(String name) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    name
                        + " is not on the PATH; install Debian's package: apt-get install prometheus"
                        + " (its service need not run)"));
  }

  private Map<String, Object> config(Optional<Admission> admission) {
    Map<String, Object> job = new TreeMap<>();
    job.put("job_name", "tunnel");
    job.put("file_sd_configs", List.of(Map.of("files", List.of(targetsFile().toString()))));
    admission.ifPresent(
        shown -> {
          job.put("scheme", "https");
          job.put("tls_config", Map.of("ca_file", shown.authority().toString()));
          job.put(
              "authorization",
              Map.of("type", "Bearer", "credentials_file", shown.token().toString()));
        });
    return Map.of(
        "global",
        Map.of("scrape_interval", EACH, "scrape_timeout", EACH, "evaluation_interval", EACH),
        "rule_files",
        List.of(directory.resolve("rules.yml").toString()),
        "scrape_configs",
        List.of(job));
  }

  private Path targetsFile() {
    return directory.resolve("targets.json");
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** From now on scrapes this port of the machine, under this name; instead of a former port. */
  public void scrape(String instance, int httpPort) {
    targets.put(instance, httpPort);
    try {
      writeTargets();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces the file as a whole, since Prometheus may read it at any moment. */
  private void writeTargets() throws IOException {
    List<Map<String, Object>> all =
        targets.entrySet().stream()
            .map(
                target ->
                    Map.<String, Object>of(
                        "targets", List.of("127.0.0.1:" + target.getValue()),
                        "labels", Map.of("instance", target.getKey())))
            .toList();
    Path next = Files.writeString(directory.resolve("targets.next"), new Gson().toJson(all));
    Files.move(next, targetsFile(), StandardCopyOption.ATOMIC_MOVE);
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new AssertionError("Prometheus ended: " + logged());
    }
    try {
      return get("/-/ready").statusCode() == OK;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> get(String path) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(60))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** The labels of all alerts that fire now. */
  public List<Map<String, String>> firing() {
    try {
      JsonObject answer = JsonParser.parseString(get("/api/v1/alerts").body()).getAsJsonObject();
      return answer.getAsJsonObject("data").getAsJsonArray("alerts").asList().stream()
          .map(JsonElement::getAsJsonObject)
          .filter(alert -> alert.get("state").getAsString().equals("firing"))
          .map(alert -> labels(alert.getAsJsonObject("labels")))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a query has a result now. Fails for an invalid query. */
  public boolean holds(String query) {
    try {
      String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
      JsonObject answer = JsonParser.parseString(get(path).body()).getAsJsonObject();
      if (!answer.get("status").getAsString().equals("success")) {
        throw new AssertionError(query + ": " + answer);
      }
      return !answer.getAsJsonObject("data").getAsJsonArray("result").isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns when a target has given figures at its newest look. */
  public void awaitScraped(String instance) {
    String up = "up{instance=\"" + instance + "\"} == 1";
    Poll.until(Poll.LONG, () -> holds(up), () -> instance + " is scraped" + logged());
  }

  private static Map<String, String> labels(JsonObject labels) {
    Map<String, String> all = new TreeMap<>();
    labels.entrySet().forEach(label -> all.put(label.getKey(), label.getValue().getAsString()));
    return all;
  }

  /** Whether an alert with these labels, among others, fires now. */
  public boolean isFiring(String alert, Map<String, String> labels) {
    return firing().stream()
        .anyMatch(
            each ->
                each.get("alertname").equals(alert)
                    && each.entrySet().containsAll(labels.entrySet()));
  }

  /** Returns when such an alert fires. */
  public void awaitFiring(String alert, Map<String, String> labels) {
    Poll.until(
        Poll.LONG,
        () -> isFiring(alert, labels),
        () -> alert + " of " + labels + " fires, but only " + firing() + logged());
  }

  /** Returns when no such alert fires any more. */
  public void awaitEnded(String alert, Map<String, String> labels) {
    Poll.until(
        Poll.LONG,
        () -> !isFiring(alert, labels),
        () -> alert + " of " + labels + " ends, but " + firing() + logged());
  }

  private String logged() {
    try {
      List<String> lines = Files.readAllLines(log());
      int from = Math.max(0, lines.size() - LOG_LINES_MAX);
      return "\n--- prometheus\n" + String.join("\n", lines.subList(from, lines.size()));
    } catch (IOException e) {
      return "\n--- prometheus, whose log cannot be read: " + e;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        var unused = process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
