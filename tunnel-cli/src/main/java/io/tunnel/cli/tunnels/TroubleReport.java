package io.tunnel.cli.tunnels;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.sdk.tunnel.SkippedChange;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Printable;
import io.tunnel.terminal.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What processors of a tunnel fail at, for people and for programs. */
final class TroubleReport {

  /** Skipped changes that are shown to people; JSON has all that the server keeps. */
  private static final int SHOWN_MAX = 10;

  private TroubleReport() {}

  /** A channel's state word beside those of the server. */
  static String state(ChannelInfo channel) {
    if (channel.error().isPresent()) {
      return " STOPPED";
    }
    return channel.retry().isPresent() ? " RETRYING" : "";
  }

  /** One line for each channel that has stopped or is retrying. */
  static List<String> lines(List<ChannelInfo> channels) {
    List<String> lines = new ArrayList<>();
    for (ChannelInfo channel : channels) {
      String at = channel.failedAt().map(change -> " at " + text(change)).orElse("");
      if (channel.error().isPresent()) {
        lines.add(
            "channel "
                + channel.getChannelId()
                + " is stopped"
                + at
                + ": "
                + Printable.of(channel.error().get())
                + (channel.hasLostHistory()
                    ? " ('tunnel tunnels seek --to earliest --channel "
                        + channel.getChannelId()
                        + "' moves it to what is kept, then 'tunnel tunnels resume' lets it go on;"
                        + " a resume alone fails again)"
                    : " ('tunnel tunnels resume' lets it go on)"));
      } else if (channel.retry().isPresent()) {
        lines.add(retrying(channel.getChannelId(), at, channel.retry().get()));
      }
    }
    return lines;
  }

  private static String retrying(String channelId, String at, RetryInfo retry) {
    return "channel "
        + channelId
        + " is retried"
        + at
        + ": attempt "
        + retry.attempts()
        + " failed, the first "
        + Human.duration(retry.forMs())
        + " ago, the next in "
        + Human.duration(retry.nextInMs())
        + ": "
        + Printable.of(retry.error());
  }

  private static String text(FailedChange change) {
    return Printable.of(change.toString());
  }

  /** The last changes that were left out; nothing when there are none. */
  static List<String> skipped(DescribeTunnelResponse tunnel) {
    if (tunnel.skippedCount() == 0) {
      return List.of();
    }
    List<SkippedChange> all = tunnel.skipped();
    List<SkippedChange> shown = all.subList(Math.max(0, all.size() - SHOWN_MAX), all.size());
    TextTable table = new TextTable(">PARTITION", "TYPE", ">POSITION", "KEY", "SKIPPED", "ERROR");
    for (SkippedChange change : shown) {
      table.row(
          Integer.toString(change.partition()),
          change.type().name(),
          Long.toString(change.position()),
          Printable.of(change.key().toString()),
          Instant.ofEpochMilli(change.skippedMs()).toString(),
          Printable.of(change.error()));
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        Human.count(tunnel.skippedCount())
            + (tunnel.skippedCount() == 1 ? " change was" : " changes were")
            + " left out by workers"
            + (tunnel.skippedCount() == shown.size()
                ? ":"
                : ", of which the last " + shown.size() + ":"));
    lines.addAll(table.lines());
    return lines;
  }

  /** Adds to the JSON of a channel. */
  static void add(JsonObject json, ChannelInfo channel) {
    json.add("failedAt", channel.failedAt().map(TroubleReport::json).orElse(null));
    json.add("retry", channel.retry().map(TroubleReport::json).orElse(null));
  }

  private static JsonObject json(FailedChange change) {
    JsonObject json = new JsonObject();
    json.addProperty("partition", change.partition());
    json.addProperty("position", change.position());
    json.addProperty("key", change.key().toString());
    json.addProperty("changes", change.changes());
    return json;
  }

  private static JsonObject json(RetryInfo retry) {
    JsonObject json = new JsonObject();
    json.addProperty("attempts", retry.attempts());
    json.addProperty("forMs", retry.forMs());
    json.addProperty("nextInMs", retry.nextInMs());
    json.addProperty("error", retry.error());
    return json;
  }

  /** Adds to the JSON of a tunnel. */
  static void add(JsonObject json, DescribeTunnelResponse tunnel) {
    JsonArray skipped = new JsonArray();
    for (SkippedChange change : tunnel.skipped()) {
      JsonObject each = new JsonObject();
      each.addProperty("partition", change.partition());
      each.addProperty("type", change.type().name());
      each.addProperty("position", change.position());
      each.addProperty("key", change.key().toString());
      each.addProperty("error", change.error());
      each.addProperty("skippedMs", change.skippedMs());
      skipped.add(each);
    }
    json.addProperty("skippedCount", tunnel.skippedCount());
    json.add("skipped", skipped);
  }
}
