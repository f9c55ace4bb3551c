package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** Every command that the documents show is one that the programs take. */
class DocumentedCommandsTest {

  private static final Path ROOT = Path.of("../..");

  /** In a block: from {@code ./tunnel} to the comment, the redirection or the end of the line. */
  private static final Pattern IN_BLOCK =
      Pattern.compile("(?:^|[|;&] *|\\s)\\./tunnel +([^|<>&]*)");

  private static final Pattern IN_TEXT = Pattern.compile("`(?:\\./)?tunnel +([^`|<>&]*)`");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  /** Stands for a value, such as DIR; FSYNC and the like are values themselves. */
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]|COMMAND|DIR|FILE");

  /** A command, and where a document shows it. */
  private record Shown(String where, String text) {

    /** Empty when the text stands for many commands: it has a placeholder or is left open. */
    List<String> words() {
      List<String> words = new ArrayList<>();
      Matcher matcher = WORD.matcher(text);
      while (matcher.find()) {
        String word = matcher.group();
        if (word.startsWith("#")) {
          break;
        }
        if (word.contains("…") || word.startsWith("[") || PLACEHOLDER.matcher(word).matches()) {
          return List.of();
        }
        words.add(
            matcher.group(1) != null
                ? matcher.group(1)
                : matcher.group(2) != null ? matcher.group(2) : word);
      }
      return words;
    }
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              docs.filter(file -> file.toString().endsWith(".md")),
              Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md").map(ROOT::resolve))
          .sorted()
          .toList();
    }
  }

  private static List<Shown> shown(Path document) throws IOException {
    List<Shown> shown = new ArrayList<>();
    boolean isBlock = false;
    String open = "";
    int number = 0;
    for (String line : Files.readAllLines(document)) {
      number++;
      if (line.strip().startsWith("```")) {
        isBlock = !isBlock;
        continue;
      }
      boolean isCode = isBlock || line.startsWith("    ");
      String whole = open + line;
      if (isCode && whole.endsWith("\\")) {
        open = whole.substring(0, whole.length() - 1);
        continue;
      }
      open = "";
      Matcher matcher = (isCode ? IN_BLOCK : IN_TEXT).matcher(whole);
      while (matcher.find()) {
        shown.add(new Shown(ROOT.relativize(document) + ":" + number, matcher.group(1).strip()));
      }
    }
    return shown;
  }

  /** What the programs say against the command, or nothing. */
  private static List<String> refusal(Shown shown) {
    List<String> words = shown.words();
    if (words.isEmpty() || words.get(0).equals("help")) {
      return List.of();
    }
    try {
      TunnelCommand.commandLine(CommandLine.defaultFactory())
          .setCaseInsensitiveEnumValuesAllowed(true)
          .parseArgs(words.toArray(String[]::new));
      return List.of();
    } catch (MissingParameterException e) {
      // A text names the command alone.
      return List.of();
    } catch (ParameterException e) {
      return List.of(shown.where() + ": ./tunnel " + shown.text() + ": " + e.getMessage());
    }
  }

  @Test
  void every_command_in_a_block_or_in_the_text_is_taken() throws IOException {
    List<String> refused = new ArrayList<>();
    int commands = 0;
    for (Path document : documents()) {
      for (Shown shown : shown(document)) {
        commands++;
        refused.addAll(refusal(shown));
      }
    }
    assertThat(commands).isGreaterThan(100);
    assertThat(refused).isEmpty();
  }

  @Test
  void a_command_that_the_programs_do_not_take_is_found() {
    assertThat(refusal(new Shown("x:1", "tail --table orders --tabel x")))
        .singleElement()
        .asString()
        .startsWith("x:1: ./tunnel tail --table orders --tabel x: ");
    assertThat(refusal(new Shown("x:2", "tail --table orders  # the changes so far"))).isEmpty();
  }
}
