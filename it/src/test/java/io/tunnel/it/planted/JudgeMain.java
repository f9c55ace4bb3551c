package io.tunnel.it.planted;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
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
    String[] parts = selector.split("#");
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(parts[0]));
    if (parts.length > 1) {
      // By pattern, since a selector of a method would have to name its parameters.
      request.filters(MethodFilter.includeMethodNamePatterns(".*#" + parts[1] + "(\\(.*)?"));
    }
    Verdict verdict = new Verdict();
    LauncherFactory.create().execute(request.build(), verdict);
    if (verdict.failed.get() > 0) {
      return 1;
    }
    return verdict.passed.get() > 0 ? 0 : 2;
  }

  /** Counts, and prints the first failure. */
  private static final class Verdict implements TestExecutionListener {
    final AtomicLong passed = new AtomicLong();
    final AtomicLong failed = new AtomicLong();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        if (failed.incrementAndGet() == 1) {
          System.out.println("FOUND by " + test.getDisplayName());
          result.getThrowable().ifPresent(failure -> failure.printStackTrace(System.out));
        }
      } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
        passed.incrementAndGet();
      }
    }
  }
}
