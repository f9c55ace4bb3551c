package io.tunnel.texts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds heavy sentences: sentences that lean on pronouns instead of nouns. Reads the comments and
 * the string literals of Java files, and the text of Markdown files.
 *
 * <p>A sentence counts from {@link #WORDS_MIN} words on, and is heavy when {@link
 * #HEAVY_PERCENT_MIN} % of its words or more are pronouns and the like. The best projects of the
 * field have 0.1 to 0.2 % of heavy sentences. The measure is a signal, and no reason to bend a good
 * sentence.
 */
final class Prose {

  static final int WORDS_MIN = 8;
  static final int HEAVY_PERCENT_MIN = 30;

  private static final Pattern PRONOUN =
      Pattern.compile(
          "\\b(it|its|they|them|their|that|those|what|who|whom|whose|which|this|these|one|ones"
              + "|other|others|another|all|any|none|nobody|somebody|anybody|everybody|everything"
              + "|nothing|something|so|such|there|then|here|some|whoever|whatever|each|both|same"
              + "|else|meanwhile|many)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern WORD = Pattern.compile("[A-Za-z']+");

  private static final Pattern END_OF_SENTENCE =
      Pattern.compile("(?<=[.;:])\\s+|@param \\w+|@return|@throws \\w+");

  private static final Pattern BLOCK_COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern LINE_COMMENTS = Pattern.compile("(?m)(?:^\\s*+//[^\\n]*\\n)++");
  private static final String LITERAL = "\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"";
  private static final Pattern LITERALS =
      Pattern.compile(LITERAL + "(?:\\s*+\\+\\s*+" + LITERAL + ")*+");

  /** What is no text: marks of comments, code in Markdown, tags, and the ends of literals. */
  private static final Pattern MARK_OF_COMMENT =
      Pattern.compile("/\\*+|\\*/|(?m:^\\s*\\*)|//|\\{@\\w+|\\}|<[^>]+>");

  private static final Pattern MARK_OF_LITERAL = Pattern.compile("\"\\s*\\+\\s*\"|\"");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
  private static final Pattern BLOCK_OF_MARKDOWN = Pattern.compile("\\n\\s*\\n|\\n(?=[-|#])");
  private static final Pattern MARK_OF_MARKDOWN = Pattern.compile("[|`*]|<[^>]+>");

  /** A sentence and where it begins. */
  record Sentence(Path file, int line, int heavyPercent, String text) {

    boolean isHeavy() {
      return heavyPercent >= HEAVY_PERCENT_MIN;
    }

    @Override
    public String toString() {
      return Modules.name(file) + ":" + line + ": " + heavyPercent + " %: " + text;
    }
  }

  private Prose() {}

  /** The sentences that count, the heaviest first. */
  static List<Sentence> sentences(List<Path> files) throws IOException {
    List<Sentence> found = new ArrayList<>();
    for (Path file : files) {
      String source = Files.readString(file);
      if (file.toString().endsWith(".java")) {
        collect(file, source, BLOCK_COMMENT, MARK_OF_COMMENT, found);
        collect(file, source, LINE_COMMENTS, MARK_OF_COMMENT, found);
        collect(file, source, LITERALS, MARK_OF_LITERAL, found);
      } else {
        String text = blank(source, CODE);
        int from = 0;
        for (Matcher end = BLOCK_OF_MARKDOWN.matcher(text); end.find(); from = end.end()) {
          split(
              file,
              source,
              from,
              blank(text.substring(from, end.start()), MARK_OF_MARKDOWN),
              found);
        }
        split(file, source, from, blank(text.substring(from), MARK_OF_MARKDOWN), found);
      }
    }
    found.sort(Comparator.comparingInt(Sentence::heavyPercent).reversed());
    return found;
  }

  private static void collect(
      Path file, String source, Pattern block, Pattern marks, List<Sentence> found) {
    Matcher blocks = block.matcher(source);
    while (blocks.find()) {
      split(file, source, blocks.start(), blank(blocks.group(), marks), found);
    }
  }

  /** Puts spaces for all but line ends, so that what remains stays where it is. */
  private static String blank(String text, Pattern marks) {
    return marks.matcher(text).replaceAll(mark -> mark.group().replaceAll("[^\\n]", " "));
  }

  private static void split(
      Path file, String source, int offset, String block, List<Sentence> found) {
    int from = 0;
    Matcher ends = END_OF_SENTENCE.matcher(block);
    while (ends.find()) {
      add(file, source, offset + from, block.substring(from, ends.start()), found);
      from = ends.end();
    }
    add(file, source, offset + from, block.substring(from), found);
  }

  private static void add(
      Path file, String source, int offset, String sentence, List<Sentence> found) {
    long words = WORD.matcher(sentence).results().count();
    if (words >= WORDS_MIN) {
      long pronouns = PRONOUN.matcher(sentence).results().count();
      int start = offset + sentence.length() - sentence.stripLeading().length();
      int line = 1 + (int) source.substring(0, start).chars().filter(c -> c == '\n').count();
      String text = sentence.strip().replaceAll("\\s+", " ");
      found.add(new Sentence(file, line, (int) (100 * pronouns / words), text));
    }
  }
}
