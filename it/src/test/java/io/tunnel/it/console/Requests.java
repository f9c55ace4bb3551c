package io.tunnel.it.console;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Set;

/**
 * The requests that a page has sent to change something, as they went to the server. Listens from
 * its creation until the page is loaded again.
 */
final class Requests {

  private static final Set<String> READS =
      Set.of(
          "LIST_TABLES",
          "DESCRIBE_TABLE",
          "PARTITION_MAP",
          "LIST_TUNNELS",
          "DESCRIBE_TUNNEL",
          "EXPORT_CHECKPOINTS",
          "DESCRIBE_CLUSTER",
          "DESCRIBE_NODE",
          "WHO_AM_I");

  /**
   * A request that passes {@code window.spoil} on its way, and is kept. A request of the operation
   * {@code window.held} waits until {@code window.release()}.
   */
  private static final String LISTEN =
      """
      window.asked = [];
      window.spoil = (operation, body) => body;
      const send = window.fetch;
      window.fetch = async (path, options) => {
        const at = String(path).match(/^\\/api\\/ask\\/([A-Z_]+)(.*)$/);
        if (at === null) {
          return send(path, options);
        }
        const body = window.spoil(at[1], options.body);
        window.asked.push([at[1], at[2], body ?? '']);
        if (window.held === at[1]) {
          await new Promise((go) => { window.release = go; });
        }
        return send(path, { ...options, body });
      };
      """;

  private final Browser browser;

  /**
   * One request.
   *
   * @param query which node was asked, if one was named
   */
  record Request(String operation, String query, JsonObject payload) {

    boolean isDryRun() {
      return payload.has("isDryRun") && payload.get("isDryRun").getAsBoolean();
    }

    /** The request that carries out the change of this dry run. */
    Request done() {
      JsonObject payload = payload().deepCopy();
      payload.addProperty("isDryRun", false);
      return new Request(operation, query, payload);
    }
  }

  Requests(Browser browser) {
    this.browser = browser;
    browser.script(LISTEN);
  }

  /** Requests with an effect, in their order. */
  List<Request> all() {
    List<?> asked = (List<?>) browser.script("return window.asked");
    return asked.stream()
        .map(each -> (List<?>) each)
        .filter(each -> !READS.contains(String.valueOf(each.get(0))))
        .map(
            each ->
                new Request(
                    String.valueOf(each.get(0)),
                    String.valueOf(each.get(1)),
                    JsonParser.parseString(String.valueOf(each.get(2))).getAsJsonObject()))
        .toList();
  }

  /** All so far but for dry runs. */
  List<Request> changes() {
    return all().stream().filter(each -> !each.isDryRun()).toList();
  }

  static Request of(String operation, String payload) {
    return new Request(operation, "", JsonParser.parseString(payload).getAsJsonObject());
  }
}
