package io.tunnel.condition;

/** What a column is compared with. */
public sealed interface Operand permits NamedColumn, Literal {}
