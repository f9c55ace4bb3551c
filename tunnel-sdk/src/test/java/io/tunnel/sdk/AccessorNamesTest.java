package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Accessors follow the naming rule of the package documentation. */
class AccessorNamesTest {

  /** Members of Tablestore's tunnel SDK and of the values of its records; "here", or why not. */
  private static final Map<String, String> OF_TABLESTORE = ofTablestore();

  private static final String HERE = "here";

  /** A public method with a comment: what is between the comment and the method are annotations. */
  private static final Pattern METHOD =
      Pattern.compile(
          "/\\*\\*(?<comment>(?:(?!\\*/).)*)\\*/\\s*(?:@[^\\n]*\\s+)*"
              + "(?:public|default)\\s+(?:static |final )*(?<result>[^\\n(={]+?)\\s"
              + "(?<name>\\w+)\\([^)]*\\)[^;{]*\\{(?<body>.*?)\\n +\\}\\n(?=\\n|\\}|$)",
          Pattern.DOTALL);

  private static final Pattern SAYS_NULL = Pattern.compile("\\b[Nn]ull\\b");

  private static final Pattern RETURNS_NULL =
      Pattern.compile("return (?:[^;]*[?:] )?null\\b[^;)]*;|return [^;]*orElse\\(null\\);");

  /** Not accessors, because they have a parameter. */
  private static final Set<String> WITH_PARAMETERS = Set.of("PrimaryKey.getPrimaryKeyColumn");

  /** A type of each public package. */
  private static final List<Class<?>> PUBLIC_PACKAGES =
      List.of(
          TableClient.class,
          TableInfo.class,
          TunnelInfo.class,
          CheckpointSet.class,
          ClusterInfo.class,
          IChannelProcessor.class,
          PrimaryKey.class,
          PrimaryKeyValue.class);

  @Test
  void getters_are_those_of_tablestore_and_all_else_is_named_without_get() throws Exception {
    Set<String> getters = new TreeSet<>();
    for (Method method : accessors()) {
      boolean isOfValue = ColumnValue.class.isAssignableFrom(method.getDeclaringClass());
      boolean isOverride = isOfValue && method.getDeclaringClass() != ColumnValue.class;
      if (method.getName().matches("get[A-Z].*") && !isOverride) {
        getters.add(nameOf(method));
      }
    }
    Set<String> known = new TreeSet<>();
    OF_TABLESTORE.forEach(
        (name, status) -> {
          if (status.equals(HERE) && name.matches("[A-Za-z]+\\.get[A-Z].*")) {
            known.add(name);
          }
        });
    known.removeAll(WITH_PARAMETERS);
    assertThat(getters).containsExactlyInAnyOrderElementsOf(known);
  }

  @Test
  void each_member_of_tablestore_is_here_or_is_missing_for_a_reason() throws Exception {
    Set<String> here = new TreeSet<>();
    for (Class<?> type : publicTypes()) {
      for (Method method : type.getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers())) {
          here.add(nameOf(method));
        }
      }
    }
    assertThat(OF_TABLESTORE).hasSizeGreaterThan(100);
    OF_TABLESTORE.forEach(
        (name, status) -> {
          if (status.equals(HERE)) {
            assertThat(here).as("listed as here").contains(name);
          } else {
            assertThat(status).as(name).matches("missing: .{10,}");
            String pattern = name.replace(".", "\\.").replace("*", ".*");
            assertThat(here).as("listed as missing").noneMatch(one -> one.matches(pattern));
          }
        });
  }

  private static Map<String, String> ofTablestore() {
    Map<String, String> members = new TreeMap<>();
    try (InputStream list =
        AccessorNamesTest.class.getResourceAsStream("/tablestore-members.txt")) {
      new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\\s+\\|\\s+", 2))
          .forEach(
              member ->
                  assertThat(members.put(member[0], member[1])).as("%s twice", member[0]).isNull());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return members;
  }

  @Test
  void nothing_has_two_names() throws Exception {
    Set<String> names = new TreeSet<>();
    for (Method method : accessors()) {
      String plain = method.getName().replaceFirst("^get(?=[A-Z])", "").toLowerCase(Locale.ROOT);
      assertThat(names.add(method.getDeclaringClass().getName() + "." + plain))
          .as("%s has a second name", nameOf(method))
          .isTrue();
    }
    assertThat(names).hasSizeGreaterThan(200);
  }

  /** Tablestore's names keep Tablestore's null; every other method has an Optional. */
  @Test
  void only_methods_of_tablestore_return_null() throws Exception {
    Set<String> returnNull = new TreeSet<>();
    for (Class<?> type : publicTypes()) {
      if (type.getEnclosingClass() == null) {
        returnNull.addAll(nullable(type.getSimpleName(), Files.readString(sourceOf(type))));
      }
    }
    assertThat(returnNull)
        .containsExactlyInAnyOrder(
            "ChannelInfo.getClientId",
            "PrimaryKey.getPrimaryKeyColumn",
            "ProcessRecordsInput.getNextToken",
            "TunnelWorkerConfig.getChannelProcessor");
    assertThat(OF_TABLESTORE.keySet()).containsAll(returnNull);
  }

  @Test
  void a_method_that_returns_null_is_found_by_its_comment_and_by_its_code() {
    String source =
        """
          /** Refuses null. */
          public String kept(String text) {
            return requireNonNull(text);
          }

          /** Says so: the name, or null. */
          @Deprecated
          public String said() {
            return name;
          }

          /** Does not say so. */
          public Map<String, List<byte[]>> unsaid(int at) {
            return at > 0 ? null : all;
          }

          /** Gives null to a setter. */
          public void set(String text) {
            name = text.isEmpty() ? null : text;
          }

          private String hidden() {
            return null;
          }
        """;
    assertThat(nullable("Sample", source))
        .containsExactlyInAnyOrder("Sample.said", "Sample.unsaid");
  }

  /** Public methods whose comment says that they return null, or whose code does. */
  private static List<String> nullable(String type, String source) {
    List<String> found = new ArrayList<>();
    for (Matcher method = METHOD.matcher(source); method.find(); ) {
      String comment = method.group("comment").replaceAll("(?i)refuses\\s+null", "");
      boolean isNullable =
          SAYS_NULL.matcher(comment).find() || RETURNS_NULL.matcher(method.group("body")).find();
      if (isNullable && !method.group("result").equals("void")) {
        found.add(type + "." + method.group("name"));
      }
    }
    return found;
  }

  private static Path sourceOf(Class<?> type) {
    String file = "src/main/java/" + type.getName().replace('.', '/') + ".java";
    Path own = Path.of(file);
    return Files.exists(own) ? own : Path.of("../tunnel-protocol").resolve(file);
  }

  private static String nameOf(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  /** Methods with a result and without parameters, of all public types. */
  private static List<Method> accessors() throws Exception {
    List<Method> accessors = new ArrayList<>();
    for (Class<?> type : publicTypes()) {
      for (Method method : type.getDeclaredMethods()) {
        boolean isAccessor =
            Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic()
                && method.getParameterCount() == 0
                && !Modifier.isStatic(method.getModifiers())
                && method.getReturnType() != void.class;
        if (isAccessor) {
          accessors.add(method);
        }
      }
    }
    return accessors;
  }

  private static List<Class<?>> publicTypes() throws Exception {
    List<Class<?>> types = new ArrayList<>();
    for (Class<?> known : PUBLIC_PACKAGES) {
      Path classes = Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(classes)) {
        addPublicTypes(known.getPackageName(), classes, types);
      } else {
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
          addPublicTypes(known.getPackageName(), jar.getPath("/"), types);
        }
      }
    }
    return types;
  }

  private static void addPublicTypes(String ofPackage, Path classes, List<Class<?>> types)
      throws Exception {
    try (Stream<Path> files = Files.list(classes.resolve(ofPackage.replace('.', '/')))) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".class") && !name.equals("package-info.class")) {
          Class<?> type = Class.forName(ofPackage + "." + name.replace(".class", ""));
          if (Modifier.isPublic(type.getModifiers())) {
            types.add(type);
          }
        }
      }
    }
  }
}
