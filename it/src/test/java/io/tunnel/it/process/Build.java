package io.tunnel.it.process;

import io.tunnel.model.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * A build of the project in a test of an upgrade. Without further settings both builds have the
 * code of this one, and only their highest levels differ. {@code it/upgrade.sh} gives the former
 * build the code of a release.
 */
public enum Build {
  /** This code at the level of the first release. */
  FIRST(ChildProcess.CLASS_PATH, Level.FIRST),
  /** This code at its own level. */
  OWN(ChildProcess.CLASS_PATH, Level.OWN),
  /** The build that is replaced: by default this code, at its own level. */
  FORMER(
      System.getProperty("tunnel.former.classpath", ChildProcess.CLASS_PATH),
      Integer.getInteger("tunnel.former.level", Level.OWN)),
  /** The build that replaces the former: this code, with the features of a level of no release. */
  NEXT(ChildProcess.CLASS_PATH, Level.OWN + 1);

  private final String classPath;
  private final int level;

  Build(String classPath, int level) {
    this.classPath = classPath;
    this.level = level;
  }

  /** The highest level that the build serves. */
  public int level() {
    return level;
  }

  String classPath() {
    return classPath;
  }

  /** For a server of the build. */
  List<String> jvmOptions() {
    List<String> options = new ArrayList<>(ChildProcess.JVM_OPTIONS);
    options.add("-D" + Level.TRIAL_PROPERTY + "=" + level);
    return options;
  }
}
