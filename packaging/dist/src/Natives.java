import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Removes from the libraries of an archive the native libraries for systems and processors that the
 * programs do not support: only those for Linux and macOS on x86-64 and ARM64 stay. A jar with
 * nothing but such native libraries is deleted. The bill of materials gets the hashes of the new
 * jars and says what they lack, so a scanner still knows which releases they come from.
 *
 * <p>Argument: the directory with {@code lib} and {@code sbom.json}. Fails when a native library is
 * in a place that neither names a supported nor another platform.
 */
final class Natives {

  private static final Pattern NATIVE = Pattern.compile(".*\\.(so|dll|dylib|jnilib)");

  /** Linux and macOS on x86-64 and ARM64, as the libraries name them in their paths. */
  private static final Pattern SUPPORTED =
      Pattern.compile(
          ".*(linux|osx|darwin|mac|epoll)(-musl)?[/_-]?(x86_64|amd64|aarch_?64|arm64|64)(-musl)?[/.].*");

  private static final Pattern OTHER =
      Pattern.compile(
          ".*(win|windows|freebsd|sunos|aix|android|linux32|ppc|s390x|riscv|loongarch|mips|i386"
              + "|/x86/|/arm/|/armv).*");

  static final String LACKING =
      "without the native libraries for other systems than Linux and macOS, and for other"
          + " processors than x86-64 and ARM64";

  private final JsonObject bill;

  private Natives(JsonObject bill) {
    this.bill = bill;
  }

  public static void main(String[] arguments) throws IOException {
    Path contents = Path.of(arguments[0]);
    Path file = contents.resolve("sbom.json");
    Natives natives =
        new Natives(JsonParser.parseString(Files.readString(file)).getAsJsonObject());
    List<Path> jars;
    try (Stream<Path> files = Files.list(contents.resolve("lib"))) {
      jars = files.sorted().toList();
    }
    for (Path jar : jars) {
      natives.trim(jar);
    }
    Files.writeString(
        file,
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(natives.bill)
            + "\n");
  }

  private void trim(Path jar) throws IOException {
    List<? extends ZipEntry> entries;
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      entries = zip.stream().toList();
    }
    if (entries.stream().noneMatch(Natives::isForeign)) {
      return;
    }
    Predicate<ZipEntry> matters =
        entry -> !entry.isDirectory() && !entry.getName().startsWith("META-INF/");
    boolean keepsNative = entries.stream().anyMatch(e -> isNative(e) && !isForeign(e));
    JsonObject component = component(jar);
    if (!keepsNative && entries.stream().noneMatch(matters)) {
      Files.delete(jar);
      remove(component);
      return;
    }
    Path trimmed = jar.resolveSibling(jar.getFileName() + ".trimmed");
    copyWithoutForeign(jar, trimmed);
    Files.move(trimmed, jar, StandardCopyOption.REPLACE_EXISTING);
    describe(component, jar);
  }

  private static boolean isNative(ZipEntry entry) {
    return NATIVE.matcher(entry.getName()).matches();
  }

  private static boolean isForeign(ZipEntry entry) {
    if (!isNative(entry)) {
      return false;
    }
    String name = "/" + entry.getName().toLowerCase(Locale.ROOT);
    boolean isOther = OTHER.matcher(name.replace("darwin", "mac")).matches();
    if (!isOther && !SUPPORTED.matcher(name).matches()) {
      throw new IllegalStateException("for which platform is the native library " + name + "?");
    }
    return isOther;
  }

  private static void copyWithoutForeign(Path from, Path to) throws IOException {
    try (ZipFile zip = new ZipFile(from.toFile());
        OutputStream file = Files.newOutputStream(to);
        ZipOutputStream out = new ZipOutputStream(file)) {
      for (ZipEntry entry : zip.stream().filter(e -> !isForeign(e)).toList()) {
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTimeLocal(entry.getTimeLocal());
        out.putNextEntry(copy);
        try (InputStream in = zip.getInputStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }

  /** The component of a jar; a classifier follows the version in the name of the file. */
  private JsonObject component(Path jar) {
    String file = jar.getFileName().toString().replaceFirst("\\.jar$", "");
    JsonObject found = null;
    for (JsonElement each : bill.getAsJsonArray("components")) {
      JsonObject component = each.getAsJsonObject();
      String name =
          component.get("name").getAsString() + "-" + component.get("version").getAsString();
      String classifier = file.startsWith(name + "-") ? file.substring(name.length() + 1) : "";
      boolean isIt =
          file.equals(name) && !reference(component).contains("classifier=")
              || !classifier.isEmpty()
                  && reference(component).contains("classifier=" + classifier + "&");
      if (isIt) {
        if (found != null) {
          throw new IllegalStateException("two components of the bill of materials are " + jar);
        }
        found = component;
      }
    }
    if (found == null) {
      throw new IllegalStateException(jar + " is not in the bill of materials");
    }
    return found;
  }

  private static String reference(JsonObject component) {
    return component.get("bom-ref").getAsString();
  }

  private void remove(JsonObject component) {
    String reference = reference(component);
    bill.getAsJsonArray("components").remove(component);
    JsonArray dependencies = bill.getAsJsonArray("dependencies");
    JsonArray left = new JsonArray();
    for (JsonElement each : dependencies) {
      JsonObject dependency = each.getAsJsonObject();
      if (!dependency.get("ref").getAsString().equals(reference)) {
        if (dependency.has("dependsOn")) {
          dependency
              .getAsJsonArray("dependsOn")
              .asList()
              .removeIf(one -> one.getAsString().equals(reference));
        }
        left.add(dependency);
      }
    }
    bill.add("dependencies", left);
  }

  private static void describe(JsonObject component, Path jar) throws IOException {
    byte[] bytes = Files.readAllBytes(jar);
    for (JsonElement each : component.getAsJsonArray("hashes")) {
      JsonObject hash = each.getAsJsonObject();
      try {
        MessageDigest digest = MessageDigest.getInstance(hash.get("alg").getAsString());
        hash.addProperty("content", HexFormat.of().formatHex(digest.digest(bytes)));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
    JsonObject pedigree = new JsonObject();
    pedigree.addProperty("notes", LACKING);
    component.add("pedigree", pedigree);
  }
}
