package io.tunnel.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.tunnel.server.fixture.ClockReader;
import io.tunnel.server.fixture.ClockReaderMain;
import io.tunnel.server.fixture.ImpureCore;
import io.tunnel.server.fixture.PureCore;
import io.tunnel.server.fixture.SneakyCore;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules that keep the arrow an arrow, checked on the classes of all modules. */
class ArchitectureTest {

  private static final JavaClasses MAIN = ModuleClasses.main();

  /** Those of tests, but for {@link #FIXTURES}. */
  private static final JavaClasses TESTS =
      ModuleClasses.tests().that(not(resideInAPackage("io.tunnel.server.fixture..")));

  /** Classes that break the rules, or just do not. */
  private static final JavaClasses FIXTURES =
      new ClassFileImporter().importPackages("io.tunnel.server.fixture");

  /** Interfaces that other packages implement by lambdas, which class files do not tell. */
  private static final Set<String> GIVEN_AS_LAMBDAS =
      Set.of("io.tunnel.server.catalog.TableListener");

  @Test
  void the_classes_of_all_modules_are_seen_and_the_fixtures_are_not() {
    assertThat(MAIN)
        .extracting(JavaClass::getName)
        .contains("io.tunnel.cli.TunnelCommand")
        .doesNotContain(ArchitectureTest.class.getName(), ClockReader.class.getName());
    assertThat(MAIN)
        .extracting(JavaClass::getPackageName)
        .contains("io.tunnel.server", "io.tunnel.sdk", "io.tunnel.terminal", "io.tunnel.bench")
        .contains("io.tunnel.fixtures", "io.tunnel.flink.perf");
    assertThat(TESTS)
        .extracting(JavaClass::getPackageName)
        .contains("io.tunnel.rules", "io.tunnel.sdk", "io.tunnel.it.contract", "io.tunnel.it.sim")
        .contains("io.tunnel.flink.cluster")
        .doesNotContain("io.tunnel.server.fixture");
  }

  @Test
  void cores_are_pure() {
    Rules.CORES_ARE_PURE.check(MAIN);
    Rules.CORES_ARE_PURE.check(TESTS);
  }

  @Test
  void the_core_rule_finds_what_a_core_must_not_touch() {
    assertThat(violators(Rules.CORES_ARE_PURE))
        .contains(ImpureCore.class.getName(), SneakyCore.class.getName())
        .doesNotContain(PureCore.class.getName());
    assertThat(violations(Rules.CORES_ARE_PURE))
        .contains("java.lang.Thread", "java.io.", "java.time.Clock", "java.util.concurrent.");
  }

  @Test
  void clock_and_chance_come_only_from_wiring() {
    Rules.CLOCK_AND_CHANCE_ARE_INJECTED.check(MAIN);
  }

  @Test
  void the_clock_rule_finds_calls_and_method_references_outside_wiring() {
    assertThat(violators(Rules.CLOCK_AND_CHANCE_ARE_INJECTED))
        .contains(ClockReader.class.getName())
        .doesNotContain(ClockReaderMain.class.getName());
    assertThat(violations(Rules.CLOCK_AND_CHANCE_ARE_INJECTED))
        .contains(
            "java.lang.Thread.sleep",
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.time.Instant.now",
            "java.util.UUID.randomUUID",
            "java.lang.Math.random",
            "java.util.Random.<init>()")
        .doesNotContain("java.util.Random.<init>(long)", "java.time.Instant.now(java.time.Clock)");
  }

  @Test
  void server_and_sdk_never_see_each_other() {
    Rules.SERVER_DOES_NOT_SEE_SDK.check(MAIN);
    Rules.SDK_DOES_NOT_SEE_SERVER.check(MAIN);
  }

  @Test
  void the_protocol_knows_no_network_no_store_and_neither_side() {
    Rules.PROTOCOL_STANDS_ALONE.check(MAIN);
  }

  @Test
  void only_the_server_and_the_test_kit_use_the_core_that_they_share() {
    Rules.CORE_IS_OF_SERVER_AND_TEST_KIT.check(MAIN);
  }

  @Test
  void only_one_room_of_the_server_knows_rocksdb() {
    Rules.ONLY_ONE_ROOM_KNOWS_ROCKSDB.check(MAIN);
  }

  @Test
  void only_one_room_of_the_server_knows_kafka() {
    Rules.ONLY_ONE_ROOM_KNOWS_KAFKA.check(MAIN);
  }

  @Test
  void flink_is_known_to_its_connector_alone_which_uses_the_sdk_as_everybody_does() {
    Rules.ONLY_ONE_MODULE_KNOWS_FLINK.check(MAIN);
    Rules.FLINK_USES_WHAT_THE_SDK_SHOWS.check(MAIN);
    Rules.FLINK_SOURCE_AND_SINK_STAND_ALONE.check(MAIN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "disk",
        "changes",
        "log",
        "table",
        "partition",
        "channel",
        "session",
        "catalog",
        "replica",
        "cluster",
        "kafka"
      })
  void a_room_of_the_server_knows_nobody_that_reads_from_it(String room) {
    Rules.roomFollowsTheArrow(room).check(MAIN);
  }

  @Test
  void no_room_of_the_server_knows_who_joins_it() {
    Rules.NO_ROOM_KNOWS_ITS_WIRING.check(MAIN);
  }

  @Test
  void a_type_of_the_server_is_public_because_another_package_uses_it() {
    Set<String> used =
        Stream.of(MAIN, TESTS)
            .flatMap(classes -> classes.stream())
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(Rules::crossesPackages)
            .map(dependency -> Rules.outermost(dependency.getTargetClass()))
            .collect(Collectors.toSet());
    assertThat(used).hasSizeGreaterThan(100);
    assertThat(Rules.topLevelTypesOf("io.tunnel.server", MAIN))
        .filteredOn(Rules::isPublic)
        .extracting(JavaClass::getName)
        .filteredOn(name -> !name.endsWith("Benchmark")) // JMH takes public classes only.
        .filteredOn(name -> !used.contains(name) && !GIVEN_AS_LAMBDAS.contains(name))
        .isEmpty();
  }

  @Test
  void names_say_what_a_thing_is() {
    for (JavaClasses classes : List.of(MAIN, TESTS)) {
      Rules.NO_PACKAGE_IS_NAMED_UTIL.check(classes);
      Rules.NO_CLASS_HAS_AN_EMPTY_NAME.check(classes);
    }
  }

  @Test
  void no_test_sleeps() {
    Rules.NOBODY_SLEEPS.check(TESTS);
  }

  @Test
  void the_rule_about_sleep_finds_it() {
    assertThat(violators(Rules.NOBODY_SLEEPS)).containsExactly(ClockReader.class.getName());
  }

  private static String violations(ArchRule rule) {
    return String.join("\n", rule.evaluate(FIXTURES).getFailureReport().getDetails());
  }

  private static List<String> violators(ArchRule rule) {
    return FIXTURES.stream()
        .filter(
            type -> rule.evaluate(FIXTURES.that(DescribedPredicate.equalTo(type))).hasViolation())
        .map(JavaClass::getName)
        .toList();
  }
}
