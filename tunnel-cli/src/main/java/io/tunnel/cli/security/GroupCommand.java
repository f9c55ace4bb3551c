package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Group;
import io.tunnel.terminal.CommandGroup;
import io.tunnel.terminal.TextTable;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Says who is in which group. */
@Command(
    name = "group",
    mixinStandardHelpOptions = true,
    description = "Say who is in which group; rights are granted to group:NAME.",
    subcommands = {
      GroupCommand.Add.class,
      GroupCommand.Remove.class,
      GroupCommand.ListGroups.class
    })
final class GroupCommand extends CommandGroup {

  /** For picocli. */
  GroupCommand() {}

  /** Principals of a group. */
  private abstract static class Change extends SecurityAction {

    @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
    private String group;

    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "PRINCIPAL",
        description = "Principals.")
    private List<String> principals;

    final String groupName() {
      return group;
    }

    final List<String> principals() {
      return principals;
    }
  }

  /** Adds to a group. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = "Add principals to a group, which begins with the first.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security group add workers billing shipping")
  static final class Add extends Change {

    /** For picocli. */
    Add() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      client.changeGroup(groupName(), principals(), List.of());
      done("group", groupName(), String.join(", ", principals()) + " added to " + groupName());
    }
  }

  /** Removes from a group. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = "Remove principals from a group, which ends with the last.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security group remove workers shipping")
  static final class Remove extends Change {

    /** For picocli. */
    Remove() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      client.changeGroup(groupName(), List.of(), principals());
      done("group", groupName(), String.join(", ", principals()) + " removed from " + groupName());
    }
  }

  /** Lists groups. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the groups and who is in them.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security group list")
  static final class ListGroups extends SecurityAction {

    /** For picocli. */
    ListGroups() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      List<Group> groups = client.groups();
      print(() -> SecurityJson.list("groups", groups, ListGroups::json), () -> lines(groups));
    }

    private static JsonObject json(Group group) {
      JsonObject json = new JsonObject();
      json.addProperty("group", group.name());
      json.add("members", SecurityJson.texts(group.members()));
      return json;
    }

    private static List<String> lines(List<Group> groups) {
      if (groups.isEmpty()) {
        return List.of("no groups");
      }
      TextTable table = new TextTable("GROUP", "MEMBERS");
      groups.forEach(group -> table.row(group.name(), String.join(", ", group.members())));
      return table.lines();
    }
  }
}
