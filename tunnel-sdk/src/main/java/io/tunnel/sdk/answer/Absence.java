package io.tunnel.sdk.answer;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.function.Supplier;

/** Something that is made unless it is there, while other programs make or remove it, too. */
public final class Absence {

  /** Each further round needs that somebody removed it and somebody else made it meanwhile. */
  private static final int ROUNDS_MAX = 5;

  private Absence() {}

  /**
   * Looks first, so that nobody needs the right to make what is there.
   *
   * @param missing says that {@code look} found nothing
   * @param exists says that {@code make} came too late
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
