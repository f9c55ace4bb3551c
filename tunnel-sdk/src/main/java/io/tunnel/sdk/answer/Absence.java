package io.tunnel.sdk.answer;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.function.Supplier;

/**
 * Finds a resource, or creates it when missing, while other programs may create or remove it, too.
 */
public final class Absence {

  /**
   * A further round happens only if other programs removed and created the resource during the last
   * one.
   */
  private static final int ROUNDS_MAX = 5;

  private Absence() {}

  /**
   * Looks first, so that a caller needs no right to create a resource that exists.
   *
   * @param missing the refusal of {@code look} when the resource is missing
   * @param exists the refusal of {@code make} when the resource exists already
   */
  public static <T> T of(ErrorCode missing, ErrorCode exists, Supplier<T> look, Supplier<T> make) {
    for (int round = 1; ; round++) {
      try {
        return look.get();
      } catch (RefusedException e) {
        if (e.code() != missing) {
          throw e;
        }
      }
      try {
        return make.get();
      } catch (RefusedException e) {
        if (e.code() != exists || round == ROUNDS_MAX) {
          throw e;
        }
      }
    }
  }
}
