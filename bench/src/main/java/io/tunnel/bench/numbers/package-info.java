/**
 * What it costs that writers number their batches: the program is {@link
 * io.tunnel.bench.numbers.NumbersMain}.
 */
package io.tunnel.bench.numbers;
