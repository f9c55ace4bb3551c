package io.tunnel.it.planted;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.MethodFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The process in which tests judge: {@code CLASS[#METHOD]}. Prints {@code FOUND by ...} and exits
 * with 1 when one fails; exits with 0 when none does, and with 2 when there was none.
 */
public final class JudgeMain {

  private JudgeMain() {}

  /** Judges. */
  public static void main(String[] args) {
    System.exit(test(args[0]));
  }

  private static int test(String selector) {
    List<String> parts = List.of(selector.split("#", 2));
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(parts.get(0)));
    if (parts.size() > 1) {
      // By pattern, since a selector of a method would have to name its parameters.
      request.filters(MethodFilter.includeMethodNamePatterns(".*#" + parts.get(1) + "(\\(.*)?"));
    }
    Verdict verdict = new Verdict();
    LauncherFactory.create().execute(request.build(), verdict);
    if (verdict.failed.get() > 0) {
      return 1;
    }
    System.out.println(verdict.passed + " tests passed");
    return verdict.passed.get() > 0 ? 0 : 2;
  }

  /** The method, and which of its cases where it has several. */
  private static String name(TestIdentifier test) {
    String method =
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .map(source -> ((MethodSource) source).getMethodName())
            .orElse("");
    return (method + " " + test.getDisplayName()).replace(method + " " + method, method).strip();
  }

  /** Counts, and prints the first failure. */
  private static final class Verdict implements TestExecutionListener {
    final AtomicLong passed = new AtomicLong();
    final AtomicLong failed = new AtomicLong();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        if (failed.incrementAndGet() == 1) {
          System.out.println("FOUND by " + name(test));
          result.getThrowable().ifPresent(failure -> failure.printStackTrace(System.out));
        }
      } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
        passed.incrementAndGet();
      }
    }
  }
}
