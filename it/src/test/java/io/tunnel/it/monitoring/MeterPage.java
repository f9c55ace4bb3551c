package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The meters that {@code docs/reference/metrics.md} lists. */
public final class MeterPage {

  private static final Pattern METER = Pattern.compile("`([a-z][a-z0-9_]*)(?:\\{([^`]*)})?`");

  private MeterPage() {}

  /**
   * The labels by meter of the tables below a heading, up to the next heading: the names in the
   * first column.
   */
  public static Map<String, Set<String>> below(String heading) {
    Map<String, Set<String>> labels = new TreeMap<>();
    boolean isInside = false;
    for (String line : Deployed.text("docs/reference/metrics.md").lines().toList()) {
      if (line.startsWith("#")) {
        isInside = line.equals("## " + heading);
      } else if (isInside && line.startsWith("| `")) {
        Matcher meter = METER.matcher(line.substring(0, line.indexOf('|', 1)));
        while (meter.find()) {
          assertThat(labels.put(meter.group(1), names(meter.group(2))))
              .as("%s is there once", meter.group(1))
              .isNull();
        }
      }
    }
    assertThat(labels).as("meters below '%s'", heading).isNotEmpty();
    return labels;
  }

  private static Set<String> names(String list) {
    return list == null
        ? Set.of()
        : Arrays.stream(list.split(",", -1)).collect(Collectors.toCollection(TreeSet::new));
  }
}
