package io.tunnel.it.sim.story;

import java.util.ArrayList;
import java.util.List;

/** The output of a command so far; merges consecutive ranges of a kind into one line. */
final class StoryLines {

  private final List<Line> lines = new ArrayList<>();

  /** A line; the range is absent when {@code last} is negative. */
  private record Line(String text, long first, long last, String end) {
    boolean isRange() {
      return last >= 0;
    }

    String shown() {
      String range = first == last ? " " + first : " " + first + ".." + last;
      return text + (isRange() ? range : "") + end;
    }
  }

  void add(String text) {
    lines.add(new Line(text, 0, -1, ""));
  }

  /** Positions {@code first} to {@code last}, said between two texts. */
  void add(String text, long first, long last, String end) {
    for (int i = lines.size() - 1; i >= 0 && lines.get(i).isRange(); i--) {
      Line line = lines.get(i);
      if (line.text.equals(text) && line.end.equals(end)) {
        if (line.last + 1 == first) {
          lines.set(i, new Line(text, line.first, last, end));
          return;
        }
        break;
      }
    }
    lines.add(new Line(text, first, last, end));
  }

  /** The lines since this was asked last. */
  List<String> take() {
    List<String> taken = lines.stream().map(Line::shown).toList();
    lines.clear();
    return taken;
  }
}
