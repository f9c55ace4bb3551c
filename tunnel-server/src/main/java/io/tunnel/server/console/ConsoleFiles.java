package io.tunnel.server.console;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The console's static files: pages and imported libraries. All files are read once, when the
 * server starts. A request finds a file by its exact path in this list, so no path of a request
 * reaches a file system or a class loader.
 *
 * <p>The libraries import each other by names that only build tools for JavaScript understand, such
 * as {@code "lit-html"}. Browsers need paths, and an import map would be an inline script. So the
 * names are replaced by paths as the files are read.
 */
final class ConsoleFiles {

  private static final String PAGES = "io/tunnel/server/console/web/";
  private static final String LIBRARIES = "META-INF/resources/webjars/";

  /** Longest file in bytes, far above the longest one that there is. */
  private static final int FILE_BYTES_MAX = 4 << 20;

  /** Bytes of a hash that make an ETag. */
  private static final int TAG_BYTES = 16;

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png");

  private static final Pattern IMPORT =
      Pattern.compile("\\b(from|import)(\\s*\\(?\\s*)([\"'])([@a-z][^\"'\\s]*)\\3");

  /**
   * A library.
   *
   * @param webJar the name of its WebJar
   * @param version its version, as the build names it
   * @param directory the directory of its files inside the WebJar
   * @param entry the file that its bare name stands for
   */
  private record Library(String webJar, String version, String directory, String entry) {

    String path() {
      return "/console/lib/" + webJar + "/";
    }

    String resources() {
      return LIBRARIES + webJar + "/" + version + "/" + directory;
    }

    /** Whether browsers need the file. WebJars also hold files for developers and for Node. */
    boolean isServed(String name) {
      return (name.endsWith(".js") || name.endsWith(".css"))
          && !name.startsWith("development/")
          && !name.startsWith("node/")
          && !name.contains(".cjs.")
          && !name.contains(".iife.");
    }
  }

  private static final Map<String, Library> LIBRARIES_BY_NAME =
      Map.of(
          "lit", new Library("lit", "3.3.1", "", "index.js"),
          "lit-html", new Library("lit-html", "3.3.2", "", "lit-html.js"),
          "lit-element", new Library("lit-element", "4.2.2", "", "index.js"),
          "@lit/reactive-element",
              new Library("lit__reactive-element", "2.1.2", "", "reactive-element.js"),
          "uplot", new Library("uplot", "1.6.30", "dist/", "uPlot.esm.js"));

  private final Map<String, Answer> answers;
  private final Map<String, String> tags = new HashMap<>();

  private ConsoleFiles(Map<String, byte[]> bodies) {
    answers = new HashMap<>();
    bodies.forEach(
        (path, body) -> {
          String tag = "\"" + tagOf(body) + "\"";
          tags.put(path, tag);
          answers.put(
              path,
              new Answer(HttpResponseStatus.OK, body)
                  .with("content-type", typeOf(path))
                  .with("cache-control", "no-cache")
                  .with("etag", tag));
        });
  }

  /**
   * Reads all files.
   *
   * @throws IOException when a page or a library is missing, which only a broken build explains
   */
  static ConsoleFiles read() throws IOException {
    Map<String, byte[]> bodies = new TreeMap<>();
    for (Map.Entry<String, byte[]> page : below(PAGES, "index.html").entrySet()) {
      if (TYPES.containsKey(ending(page.getKey()))) {
        bodies.put("/console/" + page.getKey(), forBrowsers(page.getKey(), page.getValue()));
      }
    }
    bodies.put("/", bodies.get("/console/index.html"));
    bodies.put("/console", bodies.get("/console/index.html"));
    bodies.put("/console/", bodies.get("/console/index.html"));
    for (Library library : LIBRARIES_BY_NAME.values()) {
      for (Map.Entry<String, byte[]> file :
          below(library.resources(), library.entry()).entrySet()) {
        if (library.isServed(file.getKey())) {
          bodies.put(library.path() + file.getKey(), forBrowsers(file.getKey(), file.getValue()));
        }
      }
    }
    return new ConsoleFiles(bodies);
  }

  /** The files below a directory of the class path, by their paths in it. */
  private static Map<String, byte[]> below(String directory, String entry) throws IOException {
    URL known = ConsoleFiles.class.getClassLoader().getResource(directory + entry);
    if (known == null) {
      throw new IOException(
          "the class path lacks " + directory + entry + ", which the console needs");
    }
    return known.openConnection() instanceof JarURLConnection jar
        ? inJar(jar, directory)
        : inDirectory(Path.of(known.getPath()).getParent());
  }

  private static Map<String, byte[]> inJar(JarURLConnection connection, String directory)
      throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    connection.setUseCaches(false);
    try (var jar = connection.getJarFile()) {
      for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
        if (entry.getName().startsWith(directory) && !entry.isDirectory()) {
          try (InputStream in = jar.getInputStream(entry)) {
            files.put(entry.getName().substring(directory.length()), in.readNBytes(FILE_BYTES_MAX));
          }
        }
      }
    }
    return files;
  }

  private static Map<String, byte[]> inDirectory(Path directory) throws IOException {
    List<Path> found;
    try (Stream<Path> all = Files.walk(directory)) {
      found = all.filter(Files::isRegularFile).toList();
    }
    Map<String, byte[]> files = new TreeMap<>();
    for (Path file : found) {
      files.put(directory.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
    }
    return files;
  }

  private static byte[] forBrowsers(String name, byte[] body) {
    if (!name.endsWith(".js")) {
      return body;
    }
    Matcher imports = IMPORT.matcher(new String(body, StandardCharsets.UTF_8));
    return imports
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    found.group(1)
                        + found.group(2)
                        + found.group(3)
                        + pathOf(found.group(4))
                        + found.group(3)))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** The path of an imported file; other texts stay as they are. */
  static String pathOf(String imported) {
    Library whole = LIBRARIES_BY_NAME.get(imported);
    if (whole != null) {
      return whole.path() + whole.entry();
    }
    for (Map.Entry<String, Library> library : LIBRARIES_BY_NAME.entrySet()) {
      if (imported.startsWith(library.getKey() + "/")) {
        return library.getValue().path() + imported.substring(library.getKey().length() + 1);
      }
    }
    return imported;
  }

  private static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static String typeOf(String path) {
    return path.startsWith("/console/") && path.length() > "/console/".length()
        ? TYPES.get(ending(path))
        : TYPES.get("html");
  }

  private static String tagOf(byte[] body) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
      return HexFormat.of().formatHex(hash, 0, TAG_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * The file at a path.
   *
   * @param knownTag the ETag of the browser's copy; the answer to a copy that is current is empty
   */
  Optional<Answer> file(String path, String knownTag) {
    return Optional.ofNullable(answers.get(path))
        .map(
            file ->
                tags.get(path).equals(knownTag)
                    ? new Answer(HttpResponseStatus.NOT_MODIFIED, new byte[0])
                        .with("cache-control", "no-cache")
                        .with("etag", knownTag)
                    : file);
  }

  /** The paths of all files. */
  List<String> paths() {
    return answers.keySet().stream().sorted().toList();
  }
}
