package io.tunnel.texts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages form one book: each link leads somewhere, and each page can be found. */
class PagesTest {

  private static final int COLUMNS_MAX = 120;

  /** What is shown as it is: blocks, and comments with the commands that a page needs. */
  private static final Pattern SHOWN = Pattern.compile("(?ms)^ *```.*?^ *```|^<!--.*?-->");

  private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");

  private static String text(Path page) throws IOException {
    return SHOWN.matcher(Files.readString(page)).replaceAll("");
  }

  /** The names by which a link reaches the headings of a page, as GitHub makes them. */
  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(text(page))
        .results()
        .map(heading -> heading.group(1).replaceAll("\\[([^]]*)\\]\\([^)]*\\)", "$1"))
        .map(heading -> heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", ""))
        .map(heading -> heading.strip().replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  /** The links of a page that lead to no file, or to no heading of one. */
  private static List<String> broken(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    String text = CODE.matcher(text(page)).replaceAll("");
    for (Matcher link = LINK.matcher(text); link.find(); ) {
      String to = link.group(1);
      if (to.startsWith("http")) {
        continue;
      }
      String[] parts = to.split("#", 2);
      Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
      boolean isThere = Files.exists(target);
      if (!isThere || (parts.length == 2 && !anchors(target).contains(parts[1]))) {
        broken.add(page.getFileName() + ": " + to);
      }
    }
    return broken;
  }

  @Test
  void each_link_of_a_page_leads_to_a_file_and_to_a_heading_of_it() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : Modules.pages()) {
      broken.addAll(broken(page));
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void a_page_is_linked_by_another_page() throws IOException {
    List<String> alone = new ArrayList<>();
    for (Path page : Modules.pages()) {
      String link = String.valueOf(page.getFileName());
      boolean isFound = page.endsWith("README.md") || page.getParent().endsWith("adr");
      for (Path other : Modules.pages()) {
        isFound |= !other.equals(page) && Files.readString(other).contains(link);
      }
      if (!isFound) {
        alone.add(Modules.name(page));
      }
    }
    assertThat(alone).isEmpty();
  }

  @Test
  void lines_of_pages_fit_on_a_screen() throws IOException {
    List<String> wide = new ArrayList<>();
    for (Path page : Modules.pages()) {
      text(page)
          .lines()
          .filter(line -> line.length() > COLUMNS_MAX && !isShown(line))
          .forEach(line -> wide.add(Modules.name(page) + ": " + line));
    }
    assertThat(wide).isEmpty();
  }

  /** A row of a table, an indented command, a picture, a file's content: none can be broken. */
  private static boolean isShown(String line) {
    return line.startsWith("    ")
        || line.startsWith("![")
        || line.strip().startsWith("|")
        || line.strip().matches("`[^`]{80,}`.*");
  }

  @Test
  void a_broken_link_is_found(@TempDir Path directory) throws IOException {
    Path page = directory.resolve("page.md");
    Files.writeString(
        page,
        """
        # The `one` heading: its --option

        [good](#the-one-heading-its---option) [bad](#another) [gone](gone.md) [far](https://x.org)

        ```sh
        # [not a link](none.md)
        ```
        `[code](none.md)`
        """);
    assertThat(broken(page)).containsExactly("page.md: #another", "page.md: gone.md");
  }
}
