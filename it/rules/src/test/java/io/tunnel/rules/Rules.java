package io.tunnel.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The rules of {@link ArchitectureTest}. They hold on an empty tree and bite as it grows. */
final class Rules {

  static final ArchRule CORES_ARE_PURE =
      classes()
          .that(topLevelName("are a core", ".*Core"))
          .and()
          .resideInAnyPackage("io.tunnel.core..", "io.tunnel.server..", "io.tunnel.sdk..")
          .should(Purity.DEPEND_ONLY_ON_PURE_TYPES)
          .because("a core takes values and returns values; its shell does the rest")
          .allowEmptyShould(true);

  static final ArchRule CLOCK_AND_CHANCE_ARE_INJECTED =
      noClasses()
          .that(not(topLevelName("are wiring", ".*Command|.*Main|SystemClock|Wiring.*")))
          .and()
          .resideOutsideOfPackage("io.tunnel.fixtures..")
          .should(Purity.TAKE_TIME_OR_CHANCE_FROM_THE_JDK)
          .because("time and chance are parameters, so that a test can choose them")
          .allowEmptyShould(true);

  static final ArchRule NOBODY_SLEEPS =
      noClasses()
          .should(Purity.SLEEP)
          .because("what waits for time alone is slow or fails; wait for what is to happen");

  static final ArchRule SERVER_DOES_NOT_SEE_SDK =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.server..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.tunnel.sdk..")
          .allowEmptyShould(true);

  /** The test kit runs the engine of the server. */
  static final ArchRule SDK_DOES_NOT_SEE_SERVER =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.sdk..")
          .and()
          .resideOutsideOfPackage("io.tunnel.sdk.testing..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.tunnel.server..")
          .allowEmptyShould(true);

  static final ArchRule PROTOCOL_STANDS_ALONE =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.tunnel.model..",
              "io.tunnel.codec..",
              "io.tunnel.condition..",
              "io.tunnel.wire..",
              "io.tunnel.core..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.netty..", "org.rocksdb..", "io.tunnel.sdk..", "io.tunnel.server..")
          .allowEmptyShould(true);

  /** The server and the test kit share the core; users of the SDK do not see it. */
  static final ArchRule CORE_IS_OF_SERVER_AND_TEST_KIT =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.tunnel.core..", "io.tunnel.server..", "io.tunnel.sdk.testing..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.tunnel.core..")
          .because(
              "the protocol's module exports it to nobody else, and it may change at any time");

  static final ArchRule ONLY_ONE_ROOM_KNOWS_KAFKA =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.server..")
          .and()
          .resideOutsideOfPackage("io.tunnel.server.kafka..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..")
          .because("the log is a port, and Kafka is one of those who keep it")
          .allowEmptyShould(true);

  static final ArchRule ONLY_ONE_ROOM_KNOWS_ROCKSDB =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.server..")
          .and()
          .resideOutsideOfPackage("io.tunnel.server.rocks..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.rocksdb..")
          .because("rows are in a sorted map, and RocksDB is one of those")
          .allowEmptyShould(true);

  static final ArchRule ONLY_ONE_MODULE_KNOWS_FLINK =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.tunnel.flink..", "io.tunnel.bench.flink..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.flink..", "io.tunnel.flink..")
          .because("Flink is one of those who use the SDK, and nothing stands on its connector")
          .allowEmptyShould(true);

  /** What the SDK does not show its users is not for the connector either. */
  static final ArchRule FLINK_USES_WHAT_THE_SDK_SHOWS =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.flink..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.tunnel.server..",
              "io.tunnel.sdk.answer..",
              "io.tunnel.sdk.delivery..",
              "io.tunnel.sdk.profile..",
              "io.tunnel.sdk.read..",
              "io.tunnel.sdk.transport..",
              "io.tunnel.sdk.worker..",
              "io.tunnel.sdk.write..",
              "io.netty..")
          .allowEmptyShould(true);

  static final ArchRule FLINK_SOURCE_AND_SINK_STAND_ALONE =
      noClasses()
          .that()
          .resideInAnyPackage("io.tunnel.flink.source..", "io.tunnel.flink.sink..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.tunnel.flink.table..", "org.apache.flink.table.."))
          .allowEmptyShould(true);

  static final ArchRule NO_PACKAGE_IS_NAMED_UTIL =
      noClasses().should().resideInAPackage("io.tunnel..util..").allowEmptyShould(true);

  static final ArchRule NO_CLASS_HAS_AN_EMPTY_NAME =
      noClasses()
          .should()
          .haveNameMatching(".*(Manager|Helper|Utils?|Impl|Context)")
          .because("such a name does not say what the class is")
          .allowEmptyShould(true);

  /** Per room of the server, the rooms against the arrow: those that read from it. */
  private static final Map<String, List<String>> AGAINST_THE_ARROW =
      Map.ofEntries(
          Map.entry("disk", List.of("log", "changes", "table", "partition", "replica", "net")),
          Map.entry("changes", List.of("log", "table", "partition", "replica", "session", "net")),
          Map.entry("log", List.of("partition", "replica", "table", "channel", "session", "net")),
          Map.entry("table", List.of("partition", "replica", "channel", "session", "net")),
          Map.entry("partition", List.of("replica", "channel", "session", "net")),
          Map.entry("channel", List.of("partition", "session", "net")),
          Map.entry("session", List.of("net")),
          Map.entry("catalog", List.of("channel", "session", "net")),
          Map.entry("replica", List.of("channel", "session", "net", "cluster")),
          Map.entry("cluster", List.of("partition", "channel", "session", "net", "replica")),
          Map.entry("kafka", List.of("table", "channel", "session", "net")));

  private Rules() {}

  static ArchRule roomFollowsTheArrow(String room) {
    String[] readers =
        AGAINST_THE_ARROW.get(room).stream().map(Rules::packagesOfRoom).toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(packagesOfRoom(room))
        .should()
        .dependOnClassesThat(resideInAnyPackage(readers))
        .because("a room knows the port of the room that it reads from, never who reads from it")
        .allowEmptyShould(true);
  }

  /** The packages that join the rooms of the server: engines, and the server over them. */
  static final ArchRule NO_ROOM_KNOWS_ITS_WIRING =
      noClasses()
          .that()
          .resideInAPackage("io.tunnel.server.*..")
          .and()
          .resideOutsideOfPackages(
              "io.tunnel.server.engine..", "io.tunnel.server.node..", "io.tunnel.server.config..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.tunnel.server",
                  "io.tunnel.server.engine..",
                  "io.tunnel.server.node..",
                  "io.tunnel.server.config.."))
          .because("who joins the rooms may be another one: a simulation, or a test");

  static List<JavaClass> topLevelTypesOf(String rootPackage, JavaClasses all) {
    return all.stream()
        .filter(resideInAnyPackage(rootPackage + ".."))
        .filter(JavaClass::isTopLevelClass)
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .toList();
  }

  static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC);
  }

  static boolean crossesPackages(Dependency dependency) {
    String origin = dependency.getOriginClass().getPackageName();
    return !origin.equals(dependency.getTargetClass().getPackageName());
  }

  /** The name of the top-level type that a class, or the element of an array, belongs to. */
  static String outermost(JavaClass type) {
    return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
  }

  private static String packagesOfRoom(String room) {
    return "io.tunnel.server." + room + "..";
  }

  /** On the outermost class, because what is nested in a core is a part of the core. */
  private static DescribedPredicate<JavaClass> topLevelName(String description, String regex) {
    Pattern pattern = Pattern.compile("(.*\\.)?(" + regex + ")(\\$.*)?");
    return DescribedPredicate.describe(
        description,
        type ->
            pattern.matcher(outermost(type)).matches() && !type.getName().endsWith("package-info"));
  }
}
