package io.tunnel.flink.cluster;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What Flink's REST interface says. */
final class FlinkRest {

  private static final Duration ANSWER = Duration.ofSeconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final int port;

  FlinkRest(int port) {
    this.port = port;
  }

  /** How many slots of living task managers there are; 0 as long as nobody answers. */
  int slots() {
    try {
      return get("/overview").get("slots-total").getAsInt();
    } catch (IOException e) {
      return 0;
    }
  }

  /** The jobs that run. */
  List<String> running() {
    List<String> running = new ArrayList<>();
    for (JsonElement job : require("/jobs").getAsJsonArray("jobs")) {
      if (job.getAsJsonObject().get("status").getAsString().equals("RUNNING")) {
        running.add(job.getAsJsonObject().get("id").getAsString());
      }
    }
    return running;
  }

  /** How many checkpoints a job has completed. */
  int checkpoints(String job) {
    JsonObject counts = require("/jobs/" + job + "/checkpoints").getAsJsonObject("counts");
    return counts.get("completed").getAsInt();
  }

  /** How many of its attempts took up a checkpoint or a savepoint. */
  int restores(String job) {
    JsonObject counts = require("/jobs/" + job + "/checkpoints").getAsJsonObject("counts");
    return counts.get("restored").getAsInt();
  }

  /** The task managers that run a job, if all of its tasks run. */
  Set<String> managers(String job) {
    Set<String> managers = new HashSet<>();
    for (JsonElement vertex : require("/jobs/" + job).getAsJsonArray("vertices")) {
      if (!vertex.getAsJsonObject().get("status").getAsString().equals("RUNNING")) {
        return Set.of();
      }
      String id = vertex.getAsJsonObject().get("id").getAsString();
      JsonObject tasks = require("/jobs/" + job + "/vertices/" + id);
      for (JsonElement task : tasks.getAsJsonArray("subtasks")) {
        if (!task.getAsJsonObject().get("status").getAsString().equals("RUNNING")) {
          return Set.of();
        }
        managers.add(task.getAsJsonObject().get("taskmanager-id").getAsString());
      }
    }
    return managers;
  }

  private JsonObject require(String path) {
    try {
      return get(path);
    } catch (IOException e) {
      throw new AssertionError("no answer to " + path, e);
    }
  }

  private JsonObject get(String path) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(ANSWER)
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
      }
      return JsonParser.parseString(answer.body()).getAsJsonObject();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
