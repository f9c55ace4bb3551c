package io.tunnel.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The protocol versions and features of one side of a connection.
 *
 * @param versionMin the smallest version, 0 to 65535
 * @param versionMax the greatest version; all versions between are spoken, too
 * @param features names of optional features, at most {@value #FEATURES_MAX}, sorted, without
 *     duplicates; the peer ignores unknown names
 */
public record Capabilities(int versionMin, int versionMax, List<String> features) {

  /** The most features in a greeting. */
  public static final int FEATURES_MAX = 32;

  private static final int VERSION_MAX = 0xffff;
  private static final Pattern FEATURE = Pattern.compile("[a-z0-9.-]{1,64}");

  /** Refuses an empty range of versions, too many features, and malformed names. */
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

  /** Whether this side speaks the version. */
  boolean speaks(int version) {
    return versionMin <= version && version <= versionMax;
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
