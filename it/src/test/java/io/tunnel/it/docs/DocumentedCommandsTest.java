package io.tunnel.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.tunnel.cli.TunnelCommand;
import io.tunnel.it.docs.Page.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/**
 * Every command that the documents show is one that the programs take, also where {@link
 * DocumentsTest} does not run it, and every block says how it is checked.
 */
class DocumentedCommandsTest {

  /** In a block: from {@code ./tunnel} to the comment, the redirection or the end of the line. */
  private static final Pattern IN_BLOCK =
      Pattern.compile("(?:^|[|;&] *|\\s)\\./tunnel +([^|<>&]*)");

  private static final Pattern IN_TEXT = Pattern.compile("`(?:\\./)?tunnel +([^`|<>&]*)`");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  /** Stands for a value, such as DIR; FSYNC and the like are values themselves. */
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]|COMMAND|DIR|FILE");

  private static final Pattern COMMAND =
      Pattern.compile("(?m)^(?:\\$ |\\./tunnel |mvn |docker |it/|git |export )");

  private static final List<String> KINDS =
      List.of(
          "",
          "console",
          "ini",
          "java",
          "json",
          "mermaid",
          "properties",
          "sh",
          "sql",
          "xml",
          "yaml");

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
        words.add(Stream.of(1, 2, 3).map(matcher::group).filter(g -> g != null).findFirst().get());
      }
      return words;
    }
  }

  private static List<Shown> inBlocks(Page page) {
    List<Shown> shown = new ArrayList<>();
    for (Block block : page.blocks()) {
      for (String line : block.text().replace("\\\n", " ").split("\n", -1)) {
        Matcher matcher = IN_BLOCK.matcher(line);
        while (matcher.find()) {
          shown.add(new Shown(block.where(), matcher.group(1).strip()));
        }
      }
    }
    return shown;
  }

  private static List<Shown> inText(Page page) throws IOException {
    List<Shown> shown = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(page.file())) {
      number++;
      Matcher matcher = IN_TEXT.matcher(line);
      while (matcher.find()) {
        shown.add(new Shown(page + ":" + number, matcher.group(1).strip()));
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
    for (Page page : Page.all()) {
      for (Shown shown : Stream.concat(inBlocks(page).stream(), inText(page).stream()).toList()) {
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

  @Test
  void every_block_says_how_it_is_checked() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Page page : Page.all()) {
      page.blocks().forEach(block -> unchecked(block).ifPresent(wrong::add));
    }
    assertThat(wrong).isEmpty();
  }

  private static Optional<String> unchecked(Block block) {
    if (!KINDS.contains(block.kind())) {
      return Optional.of(block.where() + ": no kind of block: " + block.kind());
    }
    if (!block.mark().isEmpty() && !Page.REASONS.contains(block.mark())) {
      return Optional.of(block.where() + ": no reason: " + block.mark());
    }
    if (block.kind().isEmpty() && COMMAND.matcher(block.text()).find()) {
      return Optional.of(block.where() + ": has commands, and is neither sh nor console");
    }
    return block.kind().equals("json") && block.runs() && !isJson(block.text())
        ? Optional.of(block.where() + ": no JSON")
        : Optional.empty();
  }

  /** One value, or one a line. */
  private static boolean isJson(String text) {
    return isValue(text) || text.lines().allMatch(DocumentedCommandsTest::isValue);
  }

  private static boolean isValue(String text) {
    try {
      var unused = JsonParser.parseString(text);
      return true;
    } catch (JsonParseException e) {
      return false;
    }
  }

  @Test
  void a_block_that_is_not_checked_is_found() {
    assertThat(unchecked(new Block("x:1", "", "./tunnel demo\n", "", false))).isPresent();
    assertThat(unchecked(new Block("x:1", "bash", "ls\n", "", false))).isPresent();
    assertThat(unchecked(new Block("x:1", "sh", "ls\n", "lazy", false))).isPresent();
    assertThat(unchecked(new Block("x:1", "json", "{\"a\": }\n", "", false))).isPresent();
    assertThat(unchecked(new Block("x:1", "sh", "./tunnel demo\n", "minutes", false))).isEmpty();
  }

  @Test
  void output_that_differs_from_the_document_is_found() {
    ShownCommand shown = ShownCommand.session("$ x\nrows: 12  #### t1-hod8w1wf9u\n…\nend\n").get(0);
    assertThat(shown.contradiction("rows: 3,004 # t7-aaaabbbbcc\nmore\nend\n", 0)).isEmpty();
    assertThat(shown.contradiction("rows: 3,004 # t7-aaaabbbbcc\nmore\n", 0)).isPresent();
    assertThat(shown.contradiction("columns: 3\nend\n", 0)).isPresent();
    assertThat(shown.contradiction("rows: 12 # t7-aaaabbbbcc\nend\n", 1)).isPresent();
    ShownCommand refusal = ShownCommand.session("$ x\ntunnel tail: no\n").get(0);
    assertThat(refusal.contradiction("tunnel tail: no\n", 1)).isEmpty();
    assertThat(refusal.contradiction("tunnel tail: no\n", 0)).isPresent();
  }
}
