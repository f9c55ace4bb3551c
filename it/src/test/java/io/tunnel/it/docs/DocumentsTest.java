package io.tunnel.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.docs.Page.Block;
import io.tunnel.it.docs.PageTerminal.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command and every program of a page does what the page says, one after the other. */
@Tag("proof-docs")
class DocumentsTest {

  private static final Pattern PUBLIC_CLASS = Pattern.compile("public (?:final )?class (\\w+)");

  @TempDir Path directory;

  static Stream<Page> pages() throws IOException {
    return Page.all().stream()
        .filter(page -> page.blocks().stream().anyMatch(DocumentsTest::isRun))
        .filter(page -> page.toString().contains(System.getProperty("docs.page", "")));
  }

  private static boolean isRun(Block block) {
    return block.runs() && List.of("sh", "console", "java").contains(block.kind());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void every_command_and_program_of_a_page_does_what_the_page_says(Page page) throws Exception {
    List<String> wrong = new ArrayList<>();
    StringBuilder hidden = new StringBuilder();
    try (PageTerminal terminal = new PageTerminal(directory)) {
      for (Block block : page.blocks()) {
        long started = System.nanoTime();
        if (!isRun(block)) {
          continue;
        } else if (block.kind().equals("java") && block.isHidden()) {
          hidden.append(block.text());
        } else if (block.kind().equals("java")) {
          wrong.addAll(java(terminal, block, hidden.toString()));
          hidden.setLength(0);
        } else {
          wrong.addAll(commands(terminal, block));
        }
        System.out.printf("%s: %,d ms%n", block.where(), (System.nanoTime() - started) / 1_000_000);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static List<String> commands(PageTerminal terminal, Block block) {
    List<String> wrong = new ArrayList<>();
    List<ShownCommand> shown =
        block.kind().equals("console")
            ? ShownCommand.session(block.text())
            : block.commands().stream().map(ShownCommand::new).toList();
    for (ShownCommand command : shown) {
      Said said = terminal.run(command.command());
      command
          .contradiction(terminal.here(said.text()), said.exitCode())
          .ifPresent(why -> wrong.add(block.where() + ": " + command.command() + "\n" + why));
    }
    return wrong;
  }

  /** What is wrong with a program, or with a part of one, behind what readers do not see. */
  private List<String> java(PageTerminal terminal, Block block, String hidden) throws IOException {
    String program = terminal.here(hidden + block.text());
    long open = program.chars().filter(c -> c == '{').count();
    long closed = program.chars().filter(c -> c == '}').count();
    program += "}\n".repeat((int) (open - closed));
    Matcher name = PUBLIC_CLASS.matcher(program);
    String mainClass = name.find() ? name.group(1) : "Part";
    Path source = directory.resolve(mainClass + ".java");
    Path classes = directory.resolve("classes");
    Files.writeString(source, program);
    String trouble = JavaSources.compile(source, classes);
    if (!trouble.isEmpty()) {
      return List.of(block.where() + ": does not compile:\n" + trouble);
    }
    if (!program.contains("void main(String[]")) {
      return List.of();
    }
    Said said = terminal.runProgram(mainClass, classes);
    return said.exitCode() == 0
        ? List.of()
        : List.of(block.where() + ": exit code " + said.exitCode() + ":\n" + said.text());
  }
}
