package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.security.ClientSecurity;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/reference/client-settings.md has every setting, with the default and the limits that the
 * code has.
 */
class ClientSettingsDocTest {

  private static final Path PAGE = Path.of("../docs/reference/client-settings.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `(\\w+)` \\| ([^|]+) \\| ([^|]*)\\| [^|]+ \\|");
  private static final Pattern LIMITS =
      Pattern.compile(
          "(?:(-1), or )?(?:at least (\\S+(?: \\w+)?)|(\\S+(?: \\w+)?) to (\\S+(?: \\w+)?))");
  private static final Pattern AMOUNT = Pattern.compile("(-?[0-9,]+)(?: (\\w+))?");

  /** Nanoseconds of a time, bytes of a size. */
  private static final Map<String, Long> UNITS =
      Map.of(
          "B", 1L,
          "KiB", 1L << 10,
          "MiB", 1L << 20,
          "GiB", 1L << 30,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "min", 60_000_000_000L);

  private static final Map<Class<?>, Supplier<Object>> DEFAULTS =
      Map.of(
          ClientConfig.class, () -> ClientConfig.of("localhost"),
          TableWriterConfig.class, () -> TableWriterConfig.DEFAULTS,
          PartitionReaderConfig.class, () -> PartitionReaderConfig.DEFAULTS,
          TunnelWorkerConfig.class, TunnelWorkerConfig::new);

  record Row(Class<?> type, String name, String byDefault, String limits) {
    /** What the code has by default. */
    Object actual() throws ReflectiveOperationException {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field.get(DEFAULTS.get(type).get());
    }

    boolean hasLimits() {
      return LIMITS.matcher(limits).matches();
    }

    /** Sets it where a program would. */
    void set(long amount) throws Throwable {
      Method setter =
          Stream.of(type.getMethods())
              .filter(m -> m.getName().matches("(?i)(with|set)" + name))
              .findAny()
              .orElseThrow();
      Class<?> taken = setter.getParameterTypes()[0];
      Object value =
          taken == Duration.class
              ? Duration.ofNanos(amount)
              : taken == int.class ? (Object) Math.toIntExact(amount) : (Object) amount;
      try {
        setter.invoke(DEFAULTS.get(type).get(), value);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /** The largest that its type can say. */
    long most() throws ReflectiveOperationException {
      return actual() instanceof Integer ? Integer.MAX_VALUE : Long.MAX_VALUE;
    }

    @Override
    public String toString() {
      return type.getSimpleName() + "." + name;
    }
  }

  static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    Class<?> type = null;
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("## ")) {
        String title = line.substring(3);
        type =
            DEFAULTS.keySet().stream()
                .filter(known -> known.getSimpleName().equals(title))
                .findAny()
                .orElseThrow();
      }
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.add(new Row(type, row.group(1), row.group(2), row.group(3).strip()));
      }
    }
    return rows;
  }

  static Stream<Row> limited() throws IOException {
    return rows().stream().filter(Row::hasLimits);
  }

  private static long amount(String text) {
    Matcher amount = AMOUNT.matcher(text);
    assertThat(amount.matches()).as(text).isTrue();
    long number = Long.parseLong(amount.group(1).replace(",", ""));
    return amount.group(2) == null ? number : number * UNITS.get(amount.group(2));
  }

  @Test
  void every_setting_is_there_once() throws IOException {
    List<String> documented = rows().stream().map(Row::toString).toList();
    List<String> actual = new ArrayList<>();
    for (Class<?> type : DEFAULTS.keySet()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
          actual.add(type.getSimpleName() + "." + field.getName());
        }
      }
    }
    assertThat(documented).containsExactlyInAnyOrderElementsOf(actual);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void the_default_is_that_of_the_code(Row row) throws ReflectiveOperationException {
    Object actual = row.actual();
    if (actual instanceof Duration time) {
      assertThat(amount(row.byDefault())).isEqualTo(time.toNanos());
    } else if (actual instanceof Number number) {
      assertThat(amount(row.byDefault())).isEqualTo(number.longValue());
    } else if (actual instanceof Boolean) {
      assertThat(row.byDefault()).isEqualTo(actual.toString());
    } else if (row.name().equals("endpoints")) {
      assertThat(row.byDefault()).isEqualTo("needed");
      assertThat(row.limits()).isEqualTo("1 to " + ClientConfig.ENDPOINTS_MAX + " of them");
    } else if (row.name().equals("clientTag")) {
      assertThat(row.byDefault()).isEqualTo("HOST-PID");
    } else {
      assertThat(row.byDefault()).isEqualTo("none");
      assertThat(actual)
          .isIn(
              Arrays.asList(null, Optional.empty(), List.of(), SdkMeter.NONE, ClientSecurity.NONE));
    }
  }

  @Test
  void whatever_is_a_number_has_limits() throws Exception {
    for (Row row : rows()) {
      boolean isAmount = row.actual() instanceof Number || row.actual() instanceof Duration;
      assertThat(row.hasLimits()).as("%s: %s", row, row.limits()).isEqualTo(isAmount);
    }
  }

  @ParameterizedTest
  @MethodSource("limited")
  void what_is_at_a_limit_is_taken_and_what_is_beyond_is_refused(Row row) throws Throwable {
    Matcher limits = LIMITS.matcher(row.limits());
    assertThat(limits.matches()).isTrue();
    long least = amount(limits.group(2) == null ? limits.group(3) : limits.group(2));
    row.set(least);
    assertRefused(row, least - 1);
    long most = limits.group(4) == null ? row.most() : amount(limits.group(4));
    row.set(most);
    if (most < row.most()) {
      assertRefused(row, most + 1);
    }
    if (limits.group(1) != null) {
      row.set(-1);
      assertRefused(row, -2);
    }
  }

  private static void assertRefused(Row row, long amount) {
    assertThatThrownBy(() -> row.set(amount))
        .as("%s of %d", row, amount)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(row.name());
  }
}
