package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tunnel.fixtures.Poll;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A Chromium without a window, driven as a person drives it. */
final class Browser implements AutoCloseable {

  /** Where Debian's packages chromium and chromium-driver put them. */
  private static final Path BINARY = Path.of("/usr/bin/chromium");

  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final String AXE = "META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
  private static final Path SHOTS = Path.of("target", "console");
  private static final Path COMPRESS = Path.of("console", "compress.sh");

  /** What the script says when the machine has no tool for pictures. */
  private static final int UNAVAILABLE = 69;

  private static final int HEIGHT = 900;

  private final ChromeDriver driver;
  private final String axe;

  /** How pages are shown. */
  record View(int width, boolean isDark) {
    static List<View> all() {
      return List.of(
          new View(1280, false), new View(1280, true), new View(390, false), new View(390, true));
    }
  }

  private Browser(ChromeDriver driver, String axe) {
    this.driver = driver;
    this.axe = axe;
  }

  /** Starts a browser. Without one, the test is left out and says so. */
  static Browser start() {
    assumeTrue(
        Files.isExecutable(BINARY) && Files.isExecutable(DRIVER),
        "no Chromium: the console is not tested in a browser. it/console/prepare.sh installs it");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BINARY.toString());
    options.setAcceptInsecureCerts(true);
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(new File(DRIVER.toString()))
            .usingAnyFreePort()
            .build();
    try (InputStream source = Browser.class.getClassLoader().getResourceAsStream(AXE)) {
      String script = new String(source.readAllBytes(), StandardCharsets.UTF_8);
      ChromeDriver driver = new ChromeDriver(service, options);
      driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(2));
      return new Browser(driver, script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void show(View view) {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", view.width(), "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
    String scheme = view.isDark() ? "dark" : "light";
    command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  private Map<String, Object> command(String name, Map<String, Object> parameters) {
    return driver.executeCdpCommand(name, parameters);
  }

  void open(String url) {
    driver.get(url);
  }

  /** Opens one more window beside the open windows, and works on in the new window. */
  String anotherWindow() {
    return driver.switchTo().newWindow(WindowType.WINDOW).getWindowHandle();
  }

  /** Works on in this window. */
  void to(String window) {
    driver.switchTo().window(window);
  }

  /** Runs a script in the page. */
  Object script(String text, Object... arguments) {
    return driver.executeScript(text, arguments);
  }

  /** Runs a script in the page that ends by calling its last argument. */
  Object asyncScript(String text, Object... arguments) {
    return driver.executeAsyncScript(text, arguments);
  }

  /** The element, once it is there and shown. */
  WebElement element(String css) {
    Poll.until(Poll.LONG, () -> isShown(css), () -> css + " is not shown in:\n" + text("body"));
    return driver.findElement(By.cssSelector(css));
  }

  boolean isShown(String css) {
    try {
      return driver.findElements(By.cssSelector(css)).stream().anyMatch(WebElement::isDisplayed);
    } catch (WebDriverException e) {
      return false; // The page drew it anew meanwhile.
    }
  }

  int count(String css) {
    return driver.findElements(By.cssSelector(css)).size();
  }

  /** The text of an element; empty without the element. */
  String text(String css) {
    Object text = script("return document.querySelector(arguments[0])?.innerText ?? ''", css);
    return String.valueOf(text);
  }

  void awaitText(String css, String part) {
    Poll.until(
        Poll.LONG,
        () -> text(css).contains(part),
        () -> "'" + part + "' is not in " + css + ":\n" + text("body"));
  }

  /** Clicks as soon as the element takes clicks. */
  void click(String css) {
    Poll.untilTrue(
        () -> {
          driver.findElement(By.cssSelector(css)).click();
          return true;
        });
  }

  void type(String css, String text) {
    element(css).sendKeys(text);
  }

  /** Gives an input or a choice this value, as a person does, whatever keys that takes. */
  void fill(String css, String value) {
    script(
        "arguments[0].value = arguments[1];"
            + "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        element(css),
        value);
  }

  /** The text of the first row of a table whose first cell is {@code name}; empty without one. */
  String row(String name) {
    Object text =
        script(
            "return [...document.querySelectorAll('tbody tr')]"
                + ".find((row) => row.cells[0].innerText.trim() === arguments[0])?.innerText ?? ''",
            name);
    return String.valueOf(text);
  }

  void awaitRow(String name, String part) {
    Poll.until(
        Poll.LONG,
        () -> row(name).contains(part),
        () -> "'" + part + "' is not in the row of " + name + ":\n" + text("body"));
  }

  /** From now on files go to this directory. */
  void downloadsTo(Path directory) {
    command(
        "Browser.setDownloadBehavior",
        Map.of("behavior", "allow", "downloadPath", directory.toAbsolutePath().toString()));
  }

  /** Findings of axe-core on the page, a line each. */
  List<?> findings() {
    script(axe);
    return (List<?>)
        asyncScript(
            "const done = arguments[arguments.length - 1];"
                + "axe.run().then((found) => done(found.violations.map((each) =>"
                + " each.id + ': ' + each.nodes.map((node) => node.html + ' ' +"
                + " node.failureSummary).join('; '))))");
  }

  /** Pixels that the page is wider than the window. */
  long overflow() {
    return (Long)
        script("return Math.max(0, document.documentElement.scrollWidth - window.innerWidth)");
  }

  /** Keeps a picture of the window below target/console, small where a tool for that is there. */
  void shot(String name) {
    try {
      Files.createDirectories(SHOTS);
      Object picture =
          command("Page.captureScreenshot", Map.<String, Object>of("format", "png")).get("data");
      Path file = SHOTS.resolve(name + ".png");
      Files.write(file, Base64.getDecoder().decode(String.valueOf(picture)));
      Process compress =
          new ProcessBuilder(COMPRESS.toAbsolutePath().toString(), file.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(compress.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      System.out.print(said);
      assertThat(compress.waitFor()).as("%s %s: %s", COMPRESS, file, said).isIn(0, UNAVAILABLE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /**
   * What the browser wrote into its log since the last call: errors of scripts and of requests, and
   * what a policy forbade. Advice about drawing is left out; axe-core reads pixels.
   */
  List<String> log() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .filter(line -> !line.startsWith("rendering "))
        .toList();
  }

  /** The log must be empty but for lines that contain one of these texts. */
  void requireQuiet(String... expected) {
    assertThat(log())
        .as("log of the browser")
        .filteredOn(line -> Stream.of(expected).noneMatch(line::contains))
        .isEmpty();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
