package io.tunnel.programs.torture;

import io.tunnel.programs.torture.WitnessCore.Findings;
import java.util.List;
import java.util.Map;

/** The ledger for writers on many threads; one lock around the core. */
final class Witness {

  private final WitnessCore core;

  Witness(int keys) {
    core = new WitnessCore(keys);
  }

  synchronized int invoke(int key) {
    return core.invoke(key);
  }

  synchronized void acknowledged(int key, int version, int partition, long position) {
    core.acknowledged(key, version, partition, position);
  }

  synchronized void refused(int key, int version) {
    core.refused(key, version);
  }

  synchronized void inDoubt(int key, int version) {
    core.inDoubt(key, version);
  }

  synchronized int mark() {
    return core.mark();
  }

  synchronized void doubtSince(int mark) {
    core.doubtSince(mark);
  }

  synchronized long acknowledgedCount() {
    return core.mark();
  }

  synchronized long doubts() {
    return core.doubts();
  }

  synchronized long refusals() {
    return core.refusals();
  }

  synchronized int deleteAt(int partition, long position) {
    return core.deleteAt(partition, position);
  }

  synchronized Findings judge(Map<Integer, List<Integer>> delivered) {
    return core.judge(delivered);
  }

  synchronized List<String> outdated(Map<Integer, Integer> rows) {
    return core.outdated(rows);
  }
}
