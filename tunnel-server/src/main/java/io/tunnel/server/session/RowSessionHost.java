package io.tunnel.server.session;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.RefusedException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The row sessions as a server's requests use them. One node of a cluster owns all sessions: the
 * leader of the catalog. Every node knows which sessions have not ended, as far as the node has
 * read the catalog.
 */
public interface RowSessionHost {

  /**
   * The sessions. For the control thread.
   *
   * @throws RefusedException NOT_LEADER where another node owns the sessions
   */
  RowSessions led();

  /**
   * Calls {@code then}, on the control thread, once this node has seen that it owned the sessions
   * at some time after the call. An answer about a session waits for this: another node may own the
   * sessions by now, and count their leases. For the control thread.
   *
   * @param refused receives NOT_LEADER, or BUSY while the catalog's log does not answer
   */
  void confirm(Runnable then, Consumer<RefusedException> refused);

  /**
   * Whether a write may bind rows of a partition to a session now; false when this node has to
   * {@linkplain #whenRead read} the catalog first. For any thread; call it when the host of the
   * partition was looked up.
   *
   * @param principal the empty text where clients have no names
   * @throws RefusedException SESSION_ENDED when the session has ended, or another secret or
   *     principal opened it
   */
  boolean admits(int partition, SessionProof proof, String principal);

  /**
   * Calls {@code then} once, on any thread, when this node has read all of the catalog that was
   * stored before the call; with a refusal when there is no such session then, or the catalog's log
   * does not answer in time. For any thread.
   */
  void whenRead(int partition, long session, Consumer<Optional<RefusedException>> then);

  /** Sessions of principals that may not keep them end from now on. For any thread. */
  void ownedBy(RowSessions.Owners owners);
}
