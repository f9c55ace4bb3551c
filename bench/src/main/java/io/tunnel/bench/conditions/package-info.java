/**
 * What conditions on reads and on writes cost: the program is {@link
 * io.tunnel.bench.conditions.ConditionMain}.
 */
package io.tunnel.bench.conditions;
