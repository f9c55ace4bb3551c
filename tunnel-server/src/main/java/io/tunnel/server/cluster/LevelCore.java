package io.tunnel.server.cluster;

import io.tunnel.codec.FormatFeature;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Level;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.ClusterControl.Levels;
import io.tunnel.wire.control.ClusterControl.NodeLevel;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The level of a cluster or of a single server at one time, and who serves which level. Decides
 * what is enabled, and whether the level may be raised. A level never falls, and is never above the
 * highest level of a member.
 *
 * @param level the level that is durable
 * @param levelMaxByNode by name of each member, the highest level that its build serves
 */
public record LevelCore(int level, SortedMap<String, Integer> levelMaxByNode) {

  /** Copies the map. */
  public LevelCore {
    Level.require("the level", level);
    levelMaxByNode = Collections.unmodifiableSortedMap(new TreeMap<>(levelMaxByNode));
  }

  /** The levels of members. */
  static LevelCore of(int level, List<Placement.Member> members) {
    SortedMap<String, Integer> levelMaxByNode = new TreeMap<>();
    members.forEach(member -> levelMaxByNode.put(member.name(), member.levelMax()));
    return new LevelCore(level, levelMaxByNode);
  }

  /** The highest level that all members serve; the present level when there are no members. */
  public int reachable() {
    return levelMaxByNode.values().stream().mapToInt(Integer::intValue).min().orElse(level);
  }

  /** The members that do not serve a level, in the order of their names. */
  List<String> lacking(int wanted) {
    return levelMaxByNode.entrySet().stream()
        .filter(member -> member.getValue() < wanted)
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Whether a raise to a level changes anything.
   *
   * @throws RefusedException FEATURE_NOT_ENABLED with the names of members that do not serve the
   *     level; BUSY when there are no members
   */
  public boolean mayRaise(int to) {
    if (to <= level) {
      return false;
    }
    if (levelMaxByNode.isEmpty()) {
      throw new RefusedException(ErrorCode.BUSY, "no member of the cluster is known yet");
    }
    List<String> lacking = lacking(to);
    if (!lacking.isEmpty()) {
      throw new RefusedException(
          ErrorCode.FEATURE_NOT_ENABLED,
          "level "
              + to
              + " is not served by "
              + named(lacking)
              + ", so the level stays "
              + level
              + "; replace the build there first");
    }
    return true;
  }

  /** Refuses a feature of the formats above the level, as {@link #require(String, int)} does. */
  public void require(FormatFeature feature) {
    require(feature.label(), feature.level());
  }

  /**
   * Refuses a feature above the level.
   *
   * @param feature the feature's name in messages
   * @param needed the lowest level that enables the feature
   * @throws RefusedException FEATURE_NOT_ENABLED with feature, level, and the members that lack the
   *     feature
   */
  public void require(String feature, int needed) {
    if (needed <= level) {
      return;
    }
    List<String> lacking = lacking(needed);
    throw new RefusedException(
        ErrorCode.FEATURE_NOT_ENABLED,
        "the feature '"
            + feature
            + "' needs level "
            + needed
            + ", and the level is "
            + level
            + "; "
            + (lacking.isEmpty()
                ? "raise the level: tunnel cluster upgrade"
                : named(lacking)
                    + " does not serve it: replace the build there, then raise the level"));
  }

  private String named(List<String> nodes) {
    return String.join(
        ", ",
        nodes.stream().map(node -> node + " (" + levelMaxByNode.get(node) + " at most)").toList());
  }

  /** The answer for clients. */
  public Levels answer() {
    return new Levels(
        level,
        levelMaxByNode.entrySet().stream()
            .map(member -> new NodeLevel(member.getKey(), member.getValue()))
            .toList());
  }
}
