package io.tunnel.rules;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What a core may touch, and where time and chance come from. */
final class Purity {

  /** So many names has the package of a room. */
  private static final int ROOM_NAMES = 4;

  private static final Pattern SLEEPS =
      Pattern.compile(
          "java\\.lang\\.Thread\\.sleep\\(.*"
              + "|java\\.util\\.concurrent\\.TimeUnit\\.sleep\\(.*");

  private static final Pattern TIME_AND_CHANCE =
      Pattern.compile(
          SLEEPS
              + "|java\\.lang\\.System\\.(nanoTime|currentTimeMillis)\\(\\)"
              + "|java\\.time\\.\\w+\\.now\\((java\\.time\\.ZoneId)?\\)"
              + "|java\\.time\\.Clock\\.(system|tick)\\w*\\(.*"
              + "|java\\.util\\.UUID\\.randomUUID\\(\\)"
              + "|java\\.lang\\.Math\\.random\\(\\)"
              + "|java\\.util\\.(Random|SplittableRandom)\\.<init>\\(\\)"
              + "|java\\.security\\.SecureRandom\\.<init>\\(.*"
              + "|java\\.util\\.concurrent\\.ThreadLocalRandom\\.current\\(\\)");

  /**
   * Pure are the language, the collections and the protocol's values. A type of the core's own
   * room, or a record of another one, is pure if everything that it depends on is.
   */
  static final ArchCondition<JavaClass> DEPEND_ONLY_ON_PURE_TYPES =
      new ArchCondition<>("depend only on java.lang, java.util, the model and pure neighbours") {
        @Override
        public void check(JavaClass core, ConditionEvents events) {
          for (Dependency dependency : core.getDirectDependenciesFromSelf()) {
            Set<JavaClass> seen = new HashSet<>(Set.of(core));
            if (!isPure(dependency.getTargetClass(), room(core), seen)) {
              events.add(SimpleConditionEvent.violated(core, dependency.getDescription()));
            }
          }
        }
      };

  /** Holds also for method references, such as {@code System::nanoTime}. */
  static final ArchCondition<JavaClass> TAKE_TIME_OR_CHANCE_FROM_THE_JDK =
      access("take time or chance from the JDK", TIME_AND_CHANCE);

  /** Likewise. */
  static final ArchCondition<JavaClass> SLEEP = access("sleep", SLEEPS);

  /**
   * A {@code Duration} is a value, too; the clocks beside it are what the other rule is about. An
   * annotation that says how a member is called does nothing.
   */
  private static final Pattern PURE =
      Pattern.compile(
          "(java\\.(lang|util)|io\\.tunnel\\.(model|codec|condition|wire))\\..*|java\\.time\\.Duration"
              + "|com\\.google\\.gson\\.annotations\\..*");

  /**
   * Inside java.lang and java.util, what starts threads, waits, guesses or does I/O. A map that
   * several threads may read is a collection.
   */
  private static final Pattern IMPURE =
      Pattern.compile(
          "java\\.lang\\.(Thread.*|Process.*|Runtime|InheritableThreadLocal)"
              + "|java\\.util\\.concurrent\\.(?!TimeUnit|ConcurrentHashMap).*"
              + "|java\\.util\\.(logging|prefs|jar)\\..*"
              + "|java\\.util\\.(Timer.*|Scanner|Formatter)"
              + "|java\\.util\\.zip\\.(ZipFile|.*Stream).*");

  private Purity() {}

  private static ArchCondition<JavaClass> access(String what, Pattern targets) {
    return new ArchCondition<>(what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
          if (targets.matcher(access.getTarget().getFullName()).matches()) {
            events.add(SimpleConditionEvent.satisfied(type, access.getDescription()));
          }
        }
      }
    };
  }

  /** A package below a side of the service, with those in it: {@code io.tunnel.server.replica}. */
  private static String room(JavaClass type) {
    String[] names = type.getPackageName().split("\\.");
    return String.join(".", List.of(names).subList(0, Math.min(ROOM_NAMES, names.length)));
  }

  private static boolean isPure(JavaClass target, String ownRoom, Set<JavaClass> seen) {
    JavaClass type = target.getBaseComponentType();
    if (type.isPrimitive() || !seen.add(type)) {
      return true;
    }
    boolean isValue = type.isRecord() && type.getPackageName().startsWith("io.tunnel.");
    if (isValue || room(type).equals(ownRoom)) {
      return type.getDirectDependenciesFromSelf().stream()
          .allMatch(dependency -> isPure(dependency.getTargetClass(), ownRoom, seen));
    }
    return PURE.matcher(type.getName()).matches() && !IMPURE.matcher(type.getName()).matches();
  }
}
