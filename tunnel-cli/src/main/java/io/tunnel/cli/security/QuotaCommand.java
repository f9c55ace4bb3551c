package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Quota;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandGroup;
import io.tunnel.terminal.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Sets and lists quotas. */
@Command(
    name = "quota",
    mixinStandardHelpOptions = true,
    description = "Set and list what principals and tables may take.",
    subcommands = {QuotaCommand.SetQuota.class, QuotaCommand.ListQuotas.class})
final class QuotaCommand extends CommandGroup {

  /** For picocli. */
  QuotaCommand() {}

  /** Sets a quota. */
  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Set limits of a principal or a table; limits that are not named stay as they are.",
        "Limits: requestsPerSecond; RowsPerSecond and BytesPerSecond behind written, delivered and"
            + " read; connections, sessions, tunnels, tables, partitions.",
        "Over a rate a client is slowed down; over a count it is refused."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  tunnel security quota set billing writtenRowsPerSecond=50000 connections=20",
        "  tunnel security quota set table:orders deliveredBytesPerSecond=10000000",
        "  tunnel security quota set billing connections=none",
        "  tunnel security quota set billing all=none"
      })
  static final class SetQuota extends SecurityAction {

    private static final String NONE = "=none";

    @Parameters(
        index = "0",
        paramLabel = "SUBJECT",
        description = "NAME of a principal, or table:NAME.")
    private String subject;

    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "LIMIT=NUMBER",
        description = "The limits to set. LIMIT=none removes a limit, and all=none removes all.")
    private List<String> items = List.of();

    private Map<String, Long> limits = Map.of();
    private List<String> removed = List.of();

    /** For picocli. */
    SetQuota() {}

    @Override
    protected void check() {
      super.check();
      List<String> named = items.stream().filter(item -> item.endsWith(NONE)).toList();
      removed = named.stream().map(item -> item.substring(0, item.indexOf('='))).toList();
      limits = limits(items.stream().filter(item -> !item.endsWith(NONE)).toList());
      for (String name : removed) {
        if (name.isEmpty() || limits.containsKey(name)) {
          throw CommandFailure.usage("'" + name + NONE + "' is not LIMIT=NUMBER");
        }
      }
    }

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      if (!removed.isEmpty()) {
        client.removeLimits(subject, removed);
      }
      if (!limits.isEmpty()) {
        client.setQuota(new Quota(subject, limits));
      }
      Quota now =
          client.quotas().stream()
              .filter(quota -> quota.subject().equals(subject))
              .findFirst()
              .orElse(new Quota(subject, Map.of()));
      print(
          () -> json(now),
          () -> List.of(subject + (now.limits().isEmpty() ? " has no limits" : ": " + text(now))));
    }
  }

  /** Lists quotas. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the quotas.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security quota list")
  static final class ListQuotas extends SecurityAction {

    /** For picocli. */
    ListQuotas() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      List<Quota> quotas = client.quotas();
      print(() -> SecurityJson.list("quotas", quotas, QuotaCommand::json), () -> lines(quotas));
    }

    private static List<String> lines(List<Quota> quotas) {
      if (quotas.isEmpty()) {
        return List.of("no quotas");
      }
      TextTable table = new TextTable("SUBJECT", "LIMITS");
      quotas.forEach(quota -> table.row(quota.subject(), text(quota)));
      return table.lines();
    }
  }

  private static Map<String, Long> limits(List<String> items) {
    Map<String, Long> limits = new LinkedHashMap<>();
    for (String item : items) {
      if (!item.matches("[^=]+=-?[0-9]{1,18}")) {
        throw CommandFailure.usage("'" + item + "' is not LIMIT=NUMBER");
      }
      String name = item.substring(0, item.indexOf('='));
      if (limits.putIfAbsent(name, Long.valueOf(item.substring(name.length() + 1))) != null) {
        throw CommandFailure.usage("limit '" + name + "' is given twice");
      }
    }
    return limits;
  }

  private static String text(Quota quota) {
    return new TreeMap<>(quota.limits())
        .entrySet().stream()
            .map(limit -> limit.getKey() + "=" + limit.getValue())
            .collect(Collectors.joining(" "));
  }

  private static JsonObject json(Quota quota) {
    JsonObject limits = new JsonObject();
    new TreeMap<>(quota.limits()).forEach(limits::addProperty);
    JsonObject json = new JsonObject();
    json.addProperty("subject", quota.subject());
    json.add("limits", limits);
    return json;
  }
}
