import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Writes the file NOTICE of an archive: each library of others with its licences, as the bill of
 * materials names them, and every notice and licence text that the libraries carry. A text that
 * several libraries carry is printed once.
 *
 * <p>Arguments: the directory with {@code lib} and {@code sbom.json}, and a directory with the
 * texts {@code ARTIFACT.txt} of libraries that carry none. A library whose licence asks for its
 * text and that has no text in either place fails the build.
 */
final class Notices {

  private static final Pattern TEXT =
      Pattern.compile("(.*/)?(NOTICE|LICEN[SC]E|COPYING|about)[^/]*", Pattern.CASE_INSENSITIVE);
  private static final Pattern NOT_TEXT = Pattern.compile(".*(\\.class|/|\\.html?|\\.xml|\\.js)");
  private static final Pattern OURS = Pattern.compile("io\\.tunnel(\\..*)?");
  private static final String APACHE = "Apache-2.0";

  private final Map<String, TreeSet<String>> librariesByText = new TreeMap<>();
  private final List<String> lines = new ArrayList<>();
  private final List<String> withoutLicence = new ArrayList<>();

  private Notices() {}

  public static void main(String[] arguments) throws IOException {
    Path contents = Path.of(arguments[0]);
    String text = new Notices().text(contents, Path.of(arguments[1]));
    Files.writeString(contents.resolve("NOTICE"), text);
  }

  private String text(Path contents, Path supplements) throws IOException {
    JsonObject bill =
        JsonParser.parseString(Files.readString(contents.resolve("sbom.json"))).getAsJsonObject();
    Map<String, JsonObject> components = new TreeMap<>();
    for (JsonElement element : bill.getAsJsonArray("components")) {
      JsonObject component = element.getAsJsonObject();
      components.put(member(component, "name") + "-" + member(component, "version"), component);
    }
    List<Path> jars;
    try (Stream<Path> files = Files.list(contents.resolve("lib"))) {
      jars = files.sorted().toList();
    }
    for (Path jar : jars) {
      add(jar, components, supplements);
    }
    if (!withoutLicence.isEmpty()) {
      throw new IllegalStateException(
          "these libraries carry no licence; add the texts to "
              + supplements
              + ": "
              + withoutLicence);
    }
    StringBuilder text =
        new StringBuilder("tunnel\n\nThe programs are licensed under the Apache License 2.0, see")
            .append(
                " LICENSE. The directory lib\n"
                    + "also holds these libraries of others, unchanged except where it says so:\n\n");
    lines.forEach(line -> text.append("  ").append(line).append('\n'));
    text.append("\nThe notices and licences that the libraries carry follow.\n");
    librariesByText.entrySet().stream()
        .sorted(Map.Entry.comparingByValue((a, b) -> a.toString().compareTo(b.toString())))
        .forEach(
            entry ->
                text.append("\n")
                    .append("-".repeat(78))
                    .append("\n")
                    .append(String.join(", ", entry.getValue()))
                    .append("\n\n")
                    .append(entry.getKey())
                    .append("\n"));
    return text.toString();
  }

  private void add(Path jar, Map<String, JsonObject> components, Path supplements)
      throws IOException {
    String file = jar.getFileName().toString().replaceFirst("\\.jar$", "");
    // A classifier stands behind the version.
    JsonObject component =
        components.entrySet().stream()
            .filter(e -> file.equals(e.getKey()) || file.startsWith(e.getKey() + "-"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(jar + " is not in the bill of materials"));
    if (OURS.matcher(member(component, "group")).matches()) {
      return;
    }
    String licences = licences(component);
    String change =
        component.has("pedigree")
            ? "; " + member(component.getAsJsonObject("pedigree"), "notes")
            : "";
    lines.add(file + ": " + licences + change);
    boolean hasLicence = false;
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry :
          zip.stream().sorted((a, b) -> a.getName().compareTo(b.getName())).toList()) {
        String name = entry.getName();
        if (TEXT.matcher(name).matches() && !NOT_TEXT.matcher(name).matches()) {
          try (InputStream in = zip.getInputStream(entry)) {
            carry(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
          }
          hasLicence |= !name.toUpperCase(java.util.Locale.ROOT).contains("NOTICE");
        }
      }
    }
    Path supplement = supplements.resolve(member(component, "name") + ".txt");
    if (Files.exists(supplement)) {
      carry(file, Files.readString(supplement));
    } else if (!hasLicence && !licences.contains(APACHE)) {
      withoutLicence.add(file + " (" + licences + "): " + supplement.getFileName());
    }
  }

  private void carry(String library, String text) {
    String plain = text.replace("\r\n", "\n").strip();
    if (!plain.isEmpty() && !isApache(plain)) {
      librariesByText.computeIfAbsent(plain, any -> new TreeSet<>()).add(library);
    }
  }

  /** The file LICENSE has this text. */
  private static boolean isApache(String text) {
    return text.length() < 12_500
        && text.startsWith("Apache License\n")
        && text.contains("END OF TERMS");
  }

  private static String licences(JsonObject component) {
    if (!component.has("licenses")) {
      throw new IllegalStateException("no licence is known of " + component);
    }
    return Stream.of(component.getAsJsonArray("licenses"))
        .flatMap(array -> array.asList().stream())
        .map(JsonElement::getAsJsonObject)
        .map(
            one -> {
              if (one.has("expression")) {
                return member(one, "expression");
              }
              JsonObject licence = one.getAsJsonObject("license");
              return licence.has("id") ? member(licence, "id") : member(licence, "name");
            })
        .collect(Collectors.joining(", "));
  }

  private static String member(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }
}
