package io.tunnel.programs.torture.hostile;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Payloads with something wrong. */
public final class Mutants {

  private Mutants() {}

  /** The payload cut off, with more behind it, as random bytes, or with some bits turned. */
  public static byte[] of(byte[] payload, SplittableRandom random) {
    byte[] mutant = payload.clone();
    switch (random.nextInt(5)) {
      case 0 -> mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length + 1));
      case 1 -> mutant = Arrays.copyOf(mutant, mutant.length + random.nextInt(1, 20));
      case 2 -> random.nextBytes(mutant);
      default -> {
        for (int flips = random.nextInt(1, 5); flips > 0 && mutant.length > 0; flips--) {
          mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return mutant;
  }
}
