package io.tunnel.cli.tunnels;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;

/** What a seek does, for people and for programs. */
final class MoveReport {

  private MoveReport() {}

  /** One line a channel, and the total. */
  static List<String> lines(SeekTunnelResponse moves, boolean isDone) {
    TextTable table =
        new TextTable("CHANNEL", ">PARTITION", "TYPE", ">FROM", ">TO", ">AGAIN", ">SKIPPED");
    for (ChannelMove move : moves.moves()) {
      table.row(
          move.channelId(),
          Integer.toString(move.partition()),
          move.type().name(),
          Human.count(move.from()),
          Human.count(move.to()),
          Human.count(move.again()),
          Human.count(move.skipped()));
    }
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add(total(moves, isDone));
    return lines;
  }

  private static String total(SeekTunnelResponse moves, boolean isDone) {
    long moving = moves.moves().stream().filter(move -> move.from() != move.to()).count();
    String subject =
        moving == moves.moves().size()
            ? count(moving, "channel", "channels")
            : Human.count(moving) + " of " + count(moves.moves().size(), "channel", "channels");
    String verb = isDone ? " moved" : " would move";
    List<String> effects = new ArrayList<>();
    addEffect(effects, moves.again(ChannelType.Stream), "change", "changes", "delivered again");
    addEffect(effects, moves.again(ChannelType.BaseData), "row", "rows", "delivered again");
    addEffect(effects, moves.skipped(ChannelType.Stream), "change", "changes", "skipped");
    addEffect(effects, moves.skipped(ChannelType.BaseData), "row", "rows", "skipped");
    return subject + verb + (effects.isEmpty() ? "" : ": " + String.join(", ", effects));
  }

  private static void addEffect(
      List<String> effects, long number, String one, String many, String what) {
    if (number > 0) {
      effects.add(count(number, one, many) + " " + what);
    }
  }

  private static String count(long number, String one, String many) {
    return Human.count(number) + " " + (number == 1 ? one : many);
  }

  /** Adds the totals and each move. */
  static void addTo(JsonObject json, SeekTunnelResponse moves) {
    json.addProperty("changesAgain", moves.again(ChannelType.Stream));
    json.addProperty("changesSkipped", moves.skipped(ChannelType.Stream));
    json.addProperty("rowsAgain", moves.again(ChannelType.BaseData));
    json.addProperty("rowsSkipped", moves.skipped(ChannelType.BaseData));
    JsonArray array = new JsonArray();
    moves.moves().forEach(move -> array.add(json(move)));
    json.add("moves", array);
  }

  private static JsonObject json(ChannelMove move) {
    JsonObject json = new JsonObject();
    json.addProperty("channelId", move.channelId());
    json.addProperty("partition", move.partition());
    json.addProperty("type", move.type().name());
    json.addProperty("from", move.from());
    json.addProperty("to", move.to());
    return json;
  }
}
