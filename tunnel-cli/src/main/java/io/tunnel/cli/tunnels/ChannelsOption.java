package io.tunnel.cli.tunnels;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option {@code --channel}, which can be given several times. */
final class ChannelsOption {

  @Option(
      names = "--channel",
      paramLabel = "ID",
      split = ",",
      description = "Only this channel, as describe names it; several, with commas or repeated.")
  private List<String> ids = new ArrayList<>();

  /** For picocli. */
  ChannelsOption() {}

  /** None for all. */
  List<String> ids() {
    return List.copyOf(ids);
  }

  /** The channels of a tunnel that are meant, or it as a whole, as the start of a sentence. */
  String of(String tunnel) {
    return switch (ids.size()) {
      case 0 -> tunnel;
      case 1 -> "channel " + ids.get(0) + " of " + tunnel;
      default -> "channels " + String.join(", ", ids) + " of " + tunnel;
    };
  }

  /** Adds the channels to which something was {@code done}; an empty list is the whole tunnel. */
  JsonObject addTo(JsonObject json, String done) {
    json.addProperty(done, true);
    JsonArray array = new JsonArray();
    ids.forEach(array::add);
    json.add("channels", array);
    return json;
  }
}
