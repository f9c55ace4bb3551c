package io.tunnel.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What one side of a connection speaks.
 *
 * @param versionMin the smallest version of the protocol, 0 to 65535
 * @param versionMax the greatest; every version between is spoken too
 * @param features names of what is optional in these versions, at most {@value #FEATURES_MAX},
 *     sorted, each once; a name that the other side does not know means nothing to it
 */
public record Capabilities(int versionMin, int versionMax, List<String> features) {

  /** Features that one greeting may name. */
  public static final int FEATURES_MAX = 32;

  private static final int VERSION_MAX = 0xffff;
  private static final Pattern FEATURE = Pattern.compile("[a-z0-9.-]{1,64}");

  /** Refuses ranges that hold no version, and features that are too many or not well named. */
  public Capabilities {
    if (versionMin < 0 || versionMax > VERSION_MAX || versionMin > versionMax) {
      throw new IllegalArgumentException(
          "versions from " + versionMin + " to " + versionMax + " are none of 0 to 65535");
    }
    if (features.size() > FEATURES_MAX) {
      throw new IllegalArgumentException(
          features.size() + " features; at most " + FEATURES_MAX + " are allowed");
    }
    for (String feature : features) {
      if (!FEATURE.matcher(feature).matches()) {
        throw new IllegalArgumentException("a feature is 1 to 64 of a-z 0-9 . -");
      }
    }
    features = List.copyOf(new TreeSet<>(features));
  }

  /** A side that speaks one version and nothing optional. */
  static Capabilities only(int version) {
    return new Capabilities(version, version, List.of());
  }

  /** The greatest version that both sides speak. */
  OptionalInt greatestCommonVersion(Capabilities other) {
    int greatest = Math.min(versionMax, other.versionMax);
    return greatest >= Math.max(versionMin, other.versionMin)
        ? OptionalInt.of(greatest)
        : OptionalInt.empty();
  }

  /** The features that both sides have. */
  List<String> commonFeatures(Capabilities other) {
    List<String> common = new ArrayList<>(features);
    common.retainAll(other.features);
    return common;
  }

  /** For people: "version 1", "versions 1 to 3". */
  String versions() {
    return versionMin == versionMax
        ? "version " + versionMin
        : "versions " + versionMin + " to " + versionMax;
  }
}
