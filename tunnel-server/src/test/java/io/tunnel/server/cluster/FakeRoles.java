package io.tunnel.server.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Obeys at once, and notes each call; a replica is warm when the test says so. */
final class FakeRoles implements Roles {

  final List<String> told = new ArrayList<>();
  final Set<Integer> leads = new TreeSet<>();
  final Set<Integer> replicas = new TreeSet<>();
  final Set<Integer> warm = new TreeSet<>();

  /** Replicas of a former process. */
  final Set<Integer> left = new TreeSet<>();

  @Override
  public void follow(int partition) {
    told.add("follow " + partition);
    leads.remove(partition);
    replicas.add(partition);
  }

  @Override
  public void lead(int unit) {
    told.add("lead " + unit);
    leads.add(unit);
    replicas.remove(unit);
    if (Unit.isPartition(unit)) {
      warm.add(unit);
    }
  }

  @Override
  public void leave(int unit) {
    told.add("leave " + unit);
    leads.remove(unit);
    replicas.remove(unit);
    warm.remove(unit);
    left.remove(unit);
  }

  @Override
  public Set<Integer> leads() {
    return leads;
  }

  @Override
  public Set<Integer> replicas() {
    Set<Integer> all = new TreeSet<>(replicas);
    all.addAll(warm);
    all.addAll(left);
    return all;
  }

  @Override
  public Set<Integer> warm() {
    return warm;
  }
}
