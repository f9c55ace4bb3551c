package io.tunnel.it.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A document, cut into its blocks. The info string of a block says how the block is checked, and a
 * comment {@code <!-- not run: REASON -->} in front of it that nothing is started.
 *
 * @param file the document
 * @param blocks in their order, hidden ones too
 */
record Page(Path file, List<Block> blocks) {

  /** The directory of the project. */
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Why a block is not run; a test elsewhere runs most of them. */
  static final Set<String> REASONS =
      Set.of("build", "cluster", "docker", "excerpt", "flink", "machines", "minutes", "root");

  private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*)\\s*");
  private static final Pattern MARK = Pattern.compile("\\s*<!-- not run: (\\w+).*-->\\s*");
  private static final Pattern HIDDEN = Pattern.compile("<!-- (sh|java)\\s*");

  /**
   * A block.
   *
   * @param where the document and the line, such as {@code README.md:24}
   * @param kind the info string: {@code sh} are commands, {@code console} commands with a prompt
   *     and their output, {@code java} a program or a part of one, others as they are; empty for a
   *     drawing or an output
   * @param text the lines
   * @param mark the reason why nothing is started; empty when the block runs
   * @param isHidden whether readers do not see it: what a page needs and does not explain
   */
  record Block(String where, String kind, String text, String mark, boolean isHidden) {

    boolean runs() {
      return mark.isEmpty();
    }

    /** The commands of a {@code sh} block, each with its continuation lines. */
    List<String> commands() {
      if (text.contains("<<")) {
        return List.of(text);
      }
      return Stream.of(text.replace("\\\n", " ").split("\n"))
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }

  static List<Page> all() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      List<Path> files =
          Stream.concat(
                  Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md").map(ROOT::resolve),
                  docs.filter(file -> file.toString().endsWith(".md")).sorted())
              .toList();
      List<Page> pages = new ArrayList<>();
      for (Path file : files) {
        pages.add(new Page(file, blocks(name(file), Files.readAllLines(file))));
      }
      return pages;
    }
  }

  private static String name(Path file) {
    return ROOT.relativize(file).toString();
  }

  static List<Block> blocks(String name, List<String> lines) {
    List<Block> blocks = new ArrayList<>();
    String mark = "";
    for (int i = 0; i < lines.size(); i++) {
      String where = name + ":" + (i + 1);
      Matcher marked = MARK.matcher(lines.get(i));
      Matcher hidden = HIDDEN.matcher(lines.get(i));
      Matcher fence = FENCE.matcher(lines.get(i));
      if (marked.matches()) {
        mark = marked.group(1);
      } else if (hidden.matches()) {
        int end = end(lines, i, "-->");
        blocks.add(new Block(where, hidden.group(1), text(lines, i, end), "", true));
        i = end;
      } else if (fence.matches()) {
        int end = end(lines, i, "```");
        blocks.add(new Block(where, fence.group(1), text(lines, i, end), mark, false));
        mark = "";
        i = end;
      }
    }
    return blocks;
  }

  private static int end(List<String> lines, int begin, String end) {
    for (int i = begin + 1; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(end)) {
        return i;
      }
    }
    throw new IllegalStateException("no end of the block in line " + (begin + 1));
  }

  private static String text(List<String> lines, int begin, int end) {
    return String.join("\n", lines.subList(begin + 1, end)).stripIndent() + "\n";
  }

  @Override
  public String toString() {
    return name(file);
  }
}
