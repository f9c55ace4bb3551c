/**
 * Whether numbers came once each and in order, for every program that proves so.
 *
 * <p>{@link io.tunnel.programs.ledger.OrderCore} is what the ledgers of the demo, of paths and of
 * moved channels share. Two programs prove more, each with a core of its own, because one core for
 * both would weaken a proof:
 *
 * <ul>
 *   <li>{@code LedgerCore} of the demo compares the content of hundreds of millions of changes. A
 *       key has two digests of fixed size, so memory grows with keys and not with changes. A digest
 *       cannot forget an acknowledgement again.
 *   <li>{@code WitnessCore} of torture keeps an outcome for each version of each key. A power cut
 *       puts acknowledgements in doubt again, and a version in doubt may be missing, or come late.
 *       {@code OrderCore} would count such a version as late; a digest would differ with each
 *       combination of versions that came.
 * </ul>
 */
package io.tunnel.programs.ledger;
