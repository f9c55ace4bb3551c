/**
 * Conditions on rows, such as {@code version = 7 and state != "done"}. A {@link
 * io.tunnel.condition.Condition} is parsed from text or put together:
 *
 * <pre>{@code
 * Condition open = Condition.parse("version = 7 and state != \"done\"");
 * Condition same =
 *     Condition.column("version").isEqualTo(7).and(Condition.column("state").isNotEqualTo("done"));
 * }</pre>
 *
 * <p>{@code docs/concepts/semantics.md} says what a condition means; {@code
 * docs/reference/protocol.md} has its bytes.
 */
package io.tunnel.condition;
