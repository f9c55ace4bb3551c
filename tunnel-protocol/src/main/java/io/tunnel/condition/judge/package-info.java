/**
 * Evaluates conditions over encoded rows, without objects: {@link io.tunnel.condition.judge.Judge}
 * is made once of a condition, and answers for row after row.
 */
package io.tunnel.condition.judge;
