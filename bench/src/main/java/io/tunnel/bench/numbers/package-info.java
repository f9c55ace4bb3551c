/**
 * Measures the cost of numbered batches beside batches without numbers: {@link
 * io.tunnel.bench.numbers.NumbersMain}.
 */
package io.tunnel.bench.numbers;
