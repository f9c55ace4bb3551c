package io.tunnel.sdk.watch;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How far a watch has seen its partitions. A program stores the {@linkplain #toString text}, and
 * goes on behind it with a later watch of the same keys.
 *
 * @param places by the id of the partition
 */
public record WatchPosition(Map<Integer, Place> places) {

  private static final Pattern PLACE = Pattern.compile("(\\d{1,10})@(\\d{1,19})(?:/(\\d{1,19}))?");

  /**
   * How far a partition was seen.
   *
   * @param position all changes up to it were seen
   * @param incarnation the incarnation of the position, see {@link io.tunnel.model.KnownPosition};
   *     empty when it is unknown
   */
  public record Place(long position, Optional<Long> incarnation) {
    /** Refuses null and positions under 0. */
    public Place {
      Objects.requireNonNull(incarnation, "incarnation");
      if (position < 0) {
        throw new IllegalArgumentException("a position is at least 0, not " + position);
      }
    }
  }

  /** Refuses no place at all, and copies the map. */
  public WatchPosition {
    places = Map.copyOf(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("a position of a watch has at least one partition");
    }
  }

  /**
   * Reads a text of {@link #toString}.
   *
   * @throws IllegalArgumentException when the text is no position
   */
  public static WatchPosition parse(String text) {
    Map<Integer, Place> places = new TreeMap<>();
    for (String part : text.split(",", -1)) {
      Matcher place = PLACE.matcher(part);
      if (!place.matches()) {
        throw new IllegalArgumentException(
            "'"
                + text
                + "' is no position of a watch: PARTITION@POSITION/INCARNATION, with commas");
      }
      try {
        Place at =
            new Place(
                Long.parseLong(place.group(2)),
                Optional.ofNullable(place.group(3)).map(Long::valueOf));
        if (places.putIfAbsent(Integer.valueOf(place.group(1)), at) != null) {
          throw new IllegalArgumentException(
              "'" + text + "' names partition " + place.group(1) + " twice");
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("'" + text + "' has a number that is too large", e);
      }
    }
    return new WatchPosition(places);
  }

  /** One line without spaces, such as {@code 7@3456/9,13@88/9}. */
  @Override
  public String toString() {
    return new TreeMap<>(places)
        .entrySet().stream()
            .map(
                each ->
                    each.getKey()
                        + "@"
                        + each.getValue().position()
                        + each.getValue().incarnation().map(in -> "/" + in).orElse(""))
            .collect(Collectors.joining(","));
  }
}
