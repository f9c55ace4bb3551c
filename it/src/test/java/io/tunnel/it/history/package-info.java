/**
 * What clients asked and were told, as a file that any checker can read, and a checker: whether
 * each key behaves as if the calls had run one after another, each at a moment between its begin
 * and its end.
 */
package io.tunnel.it.history;
