package io.tunnel.it.sim.story;

import java.util.ArrayList;
import java.util.List;

/**
 * A script of a world: lines that begin in the first column are commands, the indented lines below
 * one are what came of it, {@code #} begins a comment.
 */
public final class Story {

  private static final String INDENT = "  ";

  private final List<String> lines;

  Story(List<String> lines) {
    this.lines = List.copyOf(lines);
  }

  /** This story with the real output of its commands. */
  List<String> told() {
    StoryStage stage = new StoryStage();
    List<String> told = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("#") || line.isBlank()) {
        told.add(line);
      } else if (!line.startsWith(INDENT)) {
        told.add(line);
        try {
          stage.run(StoryCommand.parse(line)).forEach(each -> told.add(INDENT + each));
        } catch (RuntimeException | Error e) {
          throw new AssertionError(stage.failure(line), e);
        }
      }
    }
    return told;
  }

  /** What is in one and not in the other, line by line, with the lines around it. */
  static String diff(List<String> expected, List<String> actual) {
    int[][] common = new int[expected.size() + 1][actual.size() + 1];
    for (int i = expected.size() - 1; i >= 0; i--) {
      for (int j = actual.size() - 1; j >= 0; j--) {
        common[i][j] =
            expected.get(i).equals(actual.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    StringBuilder diff = new StringBuilder();
    int i = 0;
    int j = 0;
    while (i < expected.size() || j < actual.size()) {
      boolean isInBoth =
          i < expected.size() && j < actual.size() && expected.get(i).equals(actual.get(j));
      if (isInBoth) {
        diff.append("    ").append(expected.get(i));
        i++;
        j++;
      } else if (j == actual.size()
          || (i < expected.size() && common[i + 1][j] >= common[i][j + 1])) {
        diff.append("  - ").append(expected.get(i++));
      } else {
        diff.append("  + ").append(actual.get(j++));
      }
      diff.append('\n');
    }
    return diff.toString();
  }
}
