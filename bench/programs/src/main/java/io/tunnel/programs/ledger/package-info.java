/** Whether numbers came once each and in order, for every program that proves so. */
package io.tunnel.programs.ledger;
