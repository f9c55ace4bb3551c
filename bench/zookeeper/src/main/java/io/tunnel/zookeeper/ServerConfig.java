package io.tunnel.zookeeper;

import java.nio.file.Path;
import java.util.List;

/**
 * The file {@code zoo.cfg} of one server: the values of ZooKeeper's sample file, any number of
 * connections of one address, and no HTTP server. ZooKeeper's defaults apply otherwise, so a server
 * syncs each write.
 *
 * @param data the directory of log, snapshots and id
 * @param clientPort of loopback
 * @param members of an ensemble, this server among them; empty for a server alone
 */
record ServerConfig(Path data, int clientPort, List<Member> members) {

  /**
   * A server of an ensemble.
   *
   * @param peerPort where followers connect to the leader
   * @param electionPort where servers elect a leader
   */
  record Member(int peerPort, int electionPort) {}

  /** Takes a copy. */
  ServerConfig {
    members = List.copyOf(members);
  }

  /** The file. */
  String text() {
    StringBuilder text =
        new StringBuilder()
            .append("tickTime=2000\n")
            .append("initLimit=10\n")
            .append("syncLimit=5\n")
            .append("dataDir=")
            .append(data)
            .append('\n')
            .append("clientPort=")
            .append(clientPort)
            .append('\n')
            .append("clientPortAddress=127.0.0.1\n")
            .append("maxClientCnxns=0\n")
            .append("admin.enableServer=false\n");
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      text.append("server.")
          .append(i + 1)
          .append("=127.0.0.1:")
          .append(member.peerPort())
          .append(':')
          .append(member.electionPort())
          .append('\n');
    }
    return text.toString();
  }
}
